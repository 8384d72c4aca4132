/**
 * Maps call arguments to the parameters of `run`. The builder writes the plan into the program of a one-file tool, so a stored
 * program carries its own plan.
 */
export interface RunPlan {
  /** Tool and file name. */
  readonly name: string;
  /** Null if the parameters of `run` are unknown; it then receives all arguments as one object. */
  readonly hints: RunHints | null;
  readonly arguments: readonly RunArgument[];
  /** JSON Pointers into the parameters: strings there arrive as `Date`. */
  readonly dates: readonly string[];
}

/** Doc comment and type hints of `run`. */
export interface RunHints {
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

export type RunArgument =
  | { readonly from: 'parameter'; readonly name: string }
  /** A rest parameter. */
  | { readonly from: 'rest'; readonly name: string }
  /** An object of these parameters; null: of all arguments. */
  | { readonly from: 'object'; readonly names: readonly string[] | null }
  | { readonly from: 'context' };

/** Export name of the plan. */
export const RUN_PLAN_EXPORT = '__switchboard_run';

/** Doc comments of a channel file; exported as CHANNEL_ABOUT_EXPORT. */
export interface ChannelAbout {
  readonly description: string;
}

export const CHANNEL_ABOUT_EXPORT = '__switchboard_channel';

/** Export name of a boolean: whether calls may change what the module keeps in memory. */
export const MODULE_STATE_EXPORT = '__switchboard_state';
