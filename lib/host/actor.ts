/** The caller. `name` is the person's name; null without one. */
export interface Actor {
  readonly name: string | null;
}
