import type { RawFailure } from '#lib/runtime/runtime.ts';

/**
 * Finds the missing environment variable behind a failure, so that its hint can name it. Programs report it in many ways:
 * `KeyError: 'API_KEY'` at a line with `os.environ`, "Cannot read properties of undefined" at a line with
 * `process.env.API_KEY`, their own error, or a line on stderr. Returns null when it is not clear; the usual hint
 * then stays.
 */
export interface FailureText {
  readonly message: string;
  /** The source line of the failure; null when unknown. */
  readonly line: string | null;
  readonly output: string | null;
}

const READ_IN_NODE = /\bprocess\.env(?:\.(\w+)|\[\s*['"`](\w+)['"`]\s*\])/g;
const READ_IN_PYTHON = /\b(?:environ(?:\.get)?|getenv)\s*[[(]\s*['"](\w+)['"]/g;
const UNDEFINED = /\bundefined\b|\bnull\b|\bNoneType\b/;
const KEY_ERROR = /^KeyError: '(\w+)'/;
/** With an underscore or a common suffix: other words in capitals are rarely variables. */
const NAME = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[A-Z0-9]*(?:KEY|TOKEN|SECRET|PASSWORD)\b/g;
const IS_MISSING =
  /\benv(?:ironment)?\b|\bvariables?\b|\b(?:not|isn't|un)\s?(?:set|defined|provided|configured|found|specified)\b|\bmissing\b|\brequire[ds]?\b|\bmust be (?:set|provided|defined)\b|\bprovide\b/i;

export function missingVariable({ message, line, output }: FailureText): string | null {
  const read = line === null ? [] : [...line.matchAll(READ_IN_NODE), ...line.matchAll(READ_IN_PYTHON)].map(([, one, two]) => one ?? two);
  const key = KEY_ERROR.exec(message)?.[1];
  if (key !== undefined) return read.includes(key) ? key : null;
  if (UNDEFINED.test(message) && read.length > 0) return read[0] ?? null;
  return [message, ...(output === null ? [] : output.split('\n').toReversed())].map(nameIn).find((name) => name !== null) ?? null;
}

function nameIn(text: string): string | null {
  return IS_MISSING.test(text) ? (text.match(NAME)?.[0] ?? null) : null;
}

/** Switchboard's own lines in a server's output, and those that Node adds below an error. */
const NOT_SAID = /^(?:The (?:MCP )?server |Node\.js v|\s+at |\s*$)/;
const LAST_WORDS_MOST = 300;

/** The line that explains why a program ended: the last one that names an error, else the last one. */
export function lastErrorLine(output: string): string | null {
  const lines = output.split(/\r?\n/).filter((line) => !NOT_SAID.test(line));
  const line =
    lines.findLast((each) => /\b\w*(?:error|exception|fatal|missing|required|cannot|failed|not found|usage)\b/i.test(each)) ?? lines.at(-1);
  if (line === undefined) return null;
  const words = line.trim();
  return words.length > LAST_WORDS_MOST ? `${words.slice(0, LAST_WORDS_MOST - 1)}…` : words;
}

const ENDED = /^The server .* before it had answered\.$/;

/** A server that ends at its start reports why on its stderr. */
export function withLastErrorLine({ code, message, output }: Pick<RawFailure, 'code' | 'message' | 'output'>): string {
  const words = code === 'mcp_error' && ENDED.test(message) && output !== undefined ? lastErrorLine(output) : null;
  return words === null ? message : `${message.slice(0, -1)}. Its last output: ${words}`;
}

export function hintFor(variable: string, isServer: boolean): string {
  const where = isServer
    ? `Set it in \`env\` of this server in mcp.json ("env": { "${variable}": "…" })`
    : 'Set it in the `.env` beside the entry file, or in the environment of Switchboard';
  return `The variable \`${variable}\` seems to be missing. ${where}, then press Reload.`;
}
