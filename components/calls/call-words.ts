import { escapeUnseen, visibleJson } from '#components/ui/visible-text.ts';
import type { Call, CallError, CallErrorKind, CallSource } from '#lib/contract/call.ts';

export interface ErrorWords {
  readonly word: string;
  readonly means: string;
}

/** What each kind of error means for the reader. */
export const ERROR_WORDS: Record<CallErrorKind, ErrorWords> = {
  invalid_parameters: { word: 'Arguments do not fit', means: 'The tool did not run. Correct the arguments and run it again.' },
  execution_error: { word: 'The tool failed', means: 'The tool ran and reported this error itself.' },
  schema_error: { word: 'Schema error', means: 'What the tool describes and what it does do not agree.' },
  not_found: { word: 'Not found', means: 'The tool did not find what it was asked for.' },
  timeout: { word: 'Timed out', means: 'The tool took longer than it may. Give it more time, or ask for less.' },
  cancelled: { word: 'Cancelled', means: 'What the tool had done by then stays done.' },
  extension_crashed: { word: 'The extension crashed', means: 'Its process ended during the call. It starts again at the next use.' },
  extension_unavailable: { word: 'Unavailable', means: 'The extension does not serve this tool at the moment.' },
  result_not_serializable: { word: 'The result is not JSON', means: 'The tool returned something that cannot be sent.' },
  result_too_large: { word: 'The result is too large', means: 'The tool returned more than may be stored. Ask for less.' },
};

/** How a process ended under its call, where that is not a fault of its code. */
const CRASH_WORDS = new Map<unknown, ErrorWords>([
  ['server_stopped', { word: 'The server stopped during the call', means: 'It was ended without notice, and the extension with it.' }],
  [
    'memory_limit',
    { word: 'The extension took too much memory', means: 'Its process was ended during the call. It starts again at the next use.' },
  ],
  [
    'unresponsive',
    {
      word: 'The extension gave no sign of life',
      means: 'Its process was ended, and its other calls with it. It starts again at the next use.',
    },
  ],
]);

/** What an error means for the reader. */
export function errorWords({ kind, data }: Pick<CallError, 'kind' | 'data'>): ErrorWords {
  const reason: unknown = typeof data === 'object' && data !== null && 'reason' in data ? data.reason : null;
  const special = kind === 'extension_crashed' ? CRASH_WORDS.get(reason) : undefined;
  return special ?? ERROR_WORDS[kind];
}

/** The message of an error; where its issues stand beside it, without them. */
export function leadOf({ message, issues = [] }: Pick<CallError, 'message' | 'issues'>): string {
  return issues.length === 0 ? message : message.replace(/:.*$/s, ':');
}

/** What an error has beside its words; null where it is no more than the reason that they tell. */
export function furtherData(error: Pick<CallError, 'kind' | 'data'>): unknown {
  const data = error.data ?? null;
  const isTold =
    errorWords(error) !== ERROR_WORDS[error.kind] && typeof data === 'object' && data !== null && Object.keys(data).length === 1;
  return isTold ? null : data;
}

export const SOURCE_WORDS: Record<CallSource, string> = {
  web: 'Dashboard',
  api: 'API',
  mcp: 'MCP',
  channel: 'Channel',
  cli: 'Command line',
};

const LINE = 300;

/** Arguments in one line, in which nothing is invisible or turns the line: `city: "Paris", days: 3`. */
export function argumentsInLine(call: Pick<Call, 'arguments' | 'truncated'>): string {
  const args = call.arguments;
  if (typeof args === 'string' && call.truncated === true) return escapeUnseen(args.slice(0, LINE).replaceAll(/\s+/g, ' '));
  if (typeof args !== 'object' || args === null) return args === undefined ? '' : visibleJson(args);
  const line = Object.entries(args)
    .map(([name, value]) => `${name}: ${JSON.stringify(value) ?? 'null'}`)
    .join(', ');
  return escapeUnseen(line.length > LINE ? `${line.slice(0, LINE)}…` : line);
}

/** A value as JSON text; a text that was cut for a list stays as it is. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'null';
}

/** "+0.42 s": how long after the start something was logged. */
export function offsetInWords(ms: number): string {
  if (ms < 9_995) return `+${(Math.max(0, ms) / 1_000).toFixed(2)} s`;
  if (ms < 60_000) return `+${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  return `+${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
}

/** Arguments that can be sent again as they are: an object, and nothing of it replaced. */
export function argumentsOf(call: Call): Readonly<Record<string, unknown>> | null {
  const args = call.arguments;
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? { ...args } : null;
}
