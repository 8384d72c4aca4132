import { escapeInvisible, visibleJson } from '#components/ui/visible-text.ts';
import { bytesOf } from '#components/ui/numbers.ts';
import type { Call, CallError, CallErrorKind, CallSource } from '#lib/contract/call.ts';
import { CALL_ERROR_KINDS } from '#lib/contract/states.ts';
import { LIMITS } from '#lib/contract/limits.ts';

interface ErrorWords {
  readonly word: string;
  /** Null: the message itself says what to do. */
  readonly means: string | null;
}

export const ERROR_WORDS: Record<CallErrorKind, ErrorWords> = {
  invalid_parameters: { word: 'Invalid arguments', means: 'Fix the arguments and run it again.' },
  execution_error: { word: 'The tool failed', means: 'The tool ran and reported this error itself.' },
  schema_error: { word: 'Schema error', means: 'The tool’s schema and its result do not match.' },
  not_found: { word: 'Not found', means: 'The tool did not find the requested item.' },
  timeout: { word: 'Timed out', means: null },
  cancelled: { word: 'Cancelled', means: 'Changes made before it was cancelled remain.' },
  extension_crashed: { word: 'The extension crashed', means: null },
  extension_unavailable: { word: 'Unavailable', means: 'The extension is not serving this tool.' },
  result_not_serializable: { word: 'The result is not JSON', means: 'The tool returned a value that is not JSON.' },
  result_too_large: { word: 'The result is too large', means: 'The result exceeds the size limit. Request less.' },
};

export const ERROR_KIND_OPTIONS = CALL_ERROR_KINDS.map((kind) => [kind, ERROR_WORDS[kind].word] as const);

const CRASH_WORDS = new Map<unknown, ErrorWords>([
  ['server_stopped', { word: 'The server stopped during the call', means: 'The server process ended, and the extension with it.' }],
  ['memory_limit', { word: 'The extension ran out of memory', means: 'The next call restarts it.' }],
  [
    'unresponsive',
    {
      word: 'The extension was unresponsive',
      means: 'Its other calls ended too. The next call restarts it.',
    },
  ],
]);

export function errorWords({ kind, data }: Pick<CallError, 'kind' | 'data'>): ErrorWords {
  const reason: unknown = typeof data === 'object' && data !== null && 'reason' in data ? data.reason : null;
  const special = kind === 'extension_crashed' ? CRASH_WORDS.get(reason) : undefined;
  return special ?? ERROR_WORDS[kind];
}

/** Without the issues, which are shown separately. */
export function leadOf({ message, issues = [] }: Pick<CallError, 'message' | 'issues'>): string {
  return issues.length === 0 ? message : message.replace(/:.*$/s, ':');
}

/** Null if it is only the reason, which the text already says. */
export function furtherData(error: Pick<CallError, 'kind' | 'data'>): unknown {
  const data = error.data ?? null;
  const isReported =
    errorWords(error) !== ERROR_WORDS[error.kind] && typeof data === 'object' && data !== null && Object.keys(data).length === 1;
  return isReported ? null : data;
}

export const SOURCE_WORDS: Record<CallSource, string> = {
  web: 'Dashboard',
  api: 'API',
  mcp: 'MCP',
  channel: 'Channel',
  cli: 'Command line',
};

const LINE = 300;

/** One line, with invisible and bidirectional characters escaped: `city: "Paris", days: 3`. */
export function argumentsInLine(call: Pick<Call, 'arguments' | 'truncated'>): string {
  const args = call.arguments;
  if (typeof args === 'string' && call.truncated === true) return escapeInvisible(args.slice(0, LINE).replaceAll(/\s+/g, ' '));
  if (typeof args !== 'object' || args === null) return args === undefined ? '' : visibleJson(args);
  const line = Object.entries(args)
    .map(([name, value]) => `${name}: ${JSON.stringify(value) ?? 'null'}`)
    .join(', ');
  return escapeInvisible(line.length > LINE ? `${line.slice(0, LINE)}…` : line);
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'null';
}

export function offsetInWords(ms: number): string {
  if (ms < 9_995) return `+${(Math.max(0, ms) / 1_000).toFixed(2)} s`;
  if (ms < 60_000) return `+${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  return `+${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
}

/** Null if values were redacted or truncated. */
export function argumentsOf(call: Call): Readonly<Record<string, unknown>> | null {
  const args = call.arguments;
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? { ...args } : null;
}

export function asSeconds(timeoutMs: number | null): string {
  return timeoutMs === null ? '' : String(timeoutMs / 1_000);
}

export function readTimeout(text: string): { readonly ms: number | null; readonly problem: string | null } {
  const trimmed = text.trim();
  if (trimmed === '') return { ms: null, problem: null };
  const max = LIMITS.callTimeoutMostMs / 1_000;
  const seconds = /^\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (Number.isNaN(seconds) || seconds < 0.001 || seconds > max) return { ms: null, problem: `Enter seconds, from 0.001 to ${max}.` };
  return { ms: Math.round(seconds * 1_000), problem: null };
}

/** Larger results are fetched by the page. */
export const PAGE_RESULT_BYTES = 128 * 1_024;

export interface CallPreview {
  readonly call: Call;
  readonly resultBytes: number;
}

/** Null if the call is small enough to be sent in full. */
export function previewOf(call: Call): CallPreview | null {
  const { result } = call;
  const resultBytes = result === null ? 0 : bytesOf(typeof result === 'string' ? result : JSON.stringify(result));
  return resultBytes <= PAGE_RESULT_BYTES ? null : { call: { ...call, result: null, truncated: true }, resultBytes };
}
