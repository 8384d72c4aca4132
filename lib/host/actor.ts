/** The caller. `name` is the person's name; null without one. */
export interface Actor {
  readonly name: string | null;
  /** Id of the member, whose sign-ins at MCP servers are used. */
  readonly member?: string | undefined;
}
