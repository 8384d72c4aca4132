/**
 * How the arguments of a call become those of `run`, in their order. The builder writes the plan into the program of a
 * one-file tool, the tool's process reads it there: whoever runs the program, also one kept from earlier, has its plan.
 */
export interface RunPlan {
  /** Of the tool; the name of its file. */
  readonly name: string;
  /** Null when the text does not show the parameters of `run`; it then gets all arguments as one object. */
  readonly hints: RunHints | null;
  readonly arguments: readonly RunArgument[];
  /** JSON Pointers into the parameters: strings there arrive as `Date`. */
  readonly dates: readonly string[];
}

/** What the doc comment and the type hints of `run` say. */
export interface RunHints {
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

export type RunArgument =
  | { readonly from: 'parameter'; readonly name: string }
  /** A list, handed over one by one. */
  | { readonly from: 'rest'; readonly name: string }
  /** One object of these parameters; null: of all that came. */
  | { readonly from: 'object'; readonly names: readonly string[] | null }
  | { readonly from: 'context' };

/** The name under which the program exports its plan. */
export const RUN_PLAN_EXPORT = '__switchboard_run';

/** What the doc comments of a channel's file say of it; exported by its program under CHANNEL_ABOUT_EXPORT. */
export interface ChannelAbout {
  readonly description: string;
}

export const CHANNEL_ABOUT_EXPORT = '__switchboard_channel';
