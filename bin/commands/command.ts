import type { Readable } from 'node:stream';
import type { styleText } from 'node:util';

/** Exit codes; docs/cli.md has the table. */
export const EXIT = {
  ok: 0,
  /** Completed with a negative result: an extension or a call failed. */
  failed: 1,
  /** Invalid command line; nothing was done. */
  usage: 2,
  /** Could not complete: no server, missing folder, rejected request. */
  unavailable: 3,
  /** Internal error. */
  bug: 70,
  timedOut: 124,
  cancelled: 130,
} as const;

/** Abort reason when the reader of stdout closed (`| head`); this is success. */
export const READER_GONE = 'READER_GONE';

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export type Style = Parameters<typeof styleText>[0];

/** Environment of a command. */
export interface CommandContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Writes text to stdout; resolves when it accepts more. */
  print(text: string): Promise<void>;
  /** Writes one status line to stderr. */
  note(line: string): void;
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** Colours `text` on a terminal, unless NO_COLOR is set. */
  paint(style: Style, text: string): string;
  /** Aborted by signals. */
  readonly signal: AbortSignal;
}

export interface Command {
  readonly name: string;
  /** One line for the command list. */
  readonly summary: string;
  /** Text of `--help`, with examples. */
  readonly help: string;
  run(args: readonly string[], context: CommandContext): Promise<ExitCode>;
}

/** Ends a command with one line that says what was wrong and what is right. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

export function wrongUsage(message: string): CommandError {
  return new CommandError(EXIT.usage, message);
}

export function cannotDo(message: string): CommandError {
  return new CommandError(EXIT.unavailable, message);
}
