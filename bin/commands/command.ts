import type { Readable } from 'node:stream';
import type { styleText } from 'node:util';

/** How a command ends, for scripts: the table in docs/cli.md. */
export const EXIT = {
  ok: 0,
  /** What was asked for was done and came out badly: an extension failed to load, a call failed. */
  failed: 1,
  /** The command line is wrong; nothing was done. */
  usage: 2,
  /** It could not be done: no server, a folder that is not there, a request that was refused. */
  unavailable: 3,
  /** A fault of this program. */
  bug: 70,
  timedOut: 124,
  cancelled: 130,
} as const;

/** Why a command is ended whose reader has gone (`| head`): it has enough, so all is well. */
export const READER_GONE = 'READER_GONE';

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export type Style = Parameters<typeof styleText>[0];

/** What a command sees of the world. */
export interface CommandContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Writes text to stdout as it is; resolves when more may be written. */
  print(text: string): Promise<void>;
  /** One line to stderr: what is said about the work, not what comes of it. */
  note(line: string): void;
  /** Whether a person reads stdout. */
  readonly isTerminal: boolean;
  /** Colours `text` where stdout is a terminal and NO_COLOR is not set. */
  paint(style: Style, text: string): string;
  /** Aborted when whoever started the command wants it to end. */
  readonly signal: AbortSignal;
}

export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** Teaches by examples; what `--help` prints. */
  readonly help: string;
  run(args: readonly string[], context: CommandContext): Promise<ExitCode>;
}

/** Ends a command with one line that says what was wrong and what would be right. */
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
