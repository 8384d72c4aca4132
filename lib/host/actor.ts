/** Who asks. `name` is the name that a person gave; null without one. */
export interface Actor {
  readonly name: string | null;
}
