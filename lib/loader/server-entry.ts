import { LIMITS } from '#lib/contract/limits.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import type { ServerConnectionSettings, ServerProgram } from '#lib/runtime/server-program.ts';
import { isObject, kindOf } from '#lib/schema/json-value.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';

export type ServerEntry =
  | { readonly ok: true; readonly program: Omit<ServerProgram, 'folder' | 'subject'> }
  | { readonly ok: false; readonly failure: RawFailure };

const KNOWN = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'type', 'prefix', 'timeout', 'disabled', 'enabled', 'auth', 'keepAlive'];
/** Of other clients: Gemini CLI, Windsurf, goose, opencode, Codex. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  httpUrl: 'url',
  serverUrl: 'url',
  uri: 'url',
  cmd: 'command',
  envs: 'env',
  environment: 'env',
  http_headers: 'headers',
  tool_timeout_sec: 'timeout',
};
const HTTP_TYPES = new Set(['http', 'streamable-http', 'streamableHttp', 'streamable_http', 'sse']);
const PREFIX = /^(?:[A-Za-z][A-Za-z0-9_-]*)?$/;
const PREFIX_CHARACTERS = 48;

/**
 * One validated entry of an `mcp.json`, or its first error. Unknown keys are warnings, because other clients have their
 * own.
 */
export function readServerEntry(extension: string, written: unknown, subject: readonly string[]): ServerEntry {
  // Programs write null for what is absent.
  const value = isObject(written) ? Object.fromEntries(Object.entries(written).filter(([, field]) => field !== null)) : written;
  const fail = (code: RawFailure['code'], message: string, hint: string, ...keys: (string | number)[]): ServerEntry => ({
    ok: false,
    failure: { code, message, hint, subject: [...subject, ...keys] },
  });
  if (!isObject(value))
    return fail(
      'field_invalid',
      `The entry is ${kindOf(value)}; it must be an object.`,
      'Write { "command": "…", "args": ["…"] } or { "url": "https://…" }.',
    );
  const wrong = wrongField(value);
  if (wrong !== null) return fail('field_invalid', wrong.message, wrong.hint, wrong.key);
  const { command, url, type } = value;
  if (command !== undefined && url !== undefined)
    return fail(
      'field_invalid',
      'The entry has both `command` and `url`.',
      'Keep `command` for a server that is started here, `url` for one that runs elsewhere.',
      'url',
    );
  if (command === undefined && url === undefined) return fail('fields_missing', missingMessage(value), missingHint(value));
  const connection = command === undefined ? httpConnection(value) : stdioConnection(value);
  const typeFits =
    type === undefined || (connection.type === 'stdio' ? type === 'stdio' : typeof type === 'string' && HTTP_TYPES.has(type));
  if (!typeFits) {
    const hint = 'Remove `type`: `command` or `url` implies it.';
    return fail('field_invalid', `\`type\` is ${JSON.stringify(type)}; it must be "${connection.type}" here.`, hint, 'type');
  }
  const prefix = value['prefix'];
  const timeout = readTimeout(value['timeout']);
  const unknown = Object.keys(value).filter((key) => !KNOWN.includes(key));
  return {
    ok: true,
    program: {
      extension,
      prefix: typeof prefix === 'string' ? prefix : `${extension}__`,
      timeoutMs: timeout.ms,
      auth: value['auth'] === 'member' ? 'member' : 'server',
      keepAlive: typeof value['keepAlive'] === 'boolean' ? value['keepAlive'] : null,
      connection,
      warnings: [...timeout.warnings, ...unknown.map((key) => unknownKey(key))],
    },
  };
}

export function isDisabledEntry(value: unknown): boolean {
  return isObject(value) && (value['disabled'] === true || value['enabled'] === false);
}

interface Wrong {
  readonly key: string;
  readonly message: string;
  readonly hint: string;
}

function wrongField(entry: Readonly<Record<string, unknown>>): Wrong | null {
  for (const key of ['command', 'url', 'cwd', 'type']) {
    const value = entry[key];
    if (value === undefined || (typeof value === 'string' && value.trim() !== '')) continue;
    const is = value === '' ? 'empty' : kindOf(value);
    const isList = key === 'command' && Array.isArray(value);
    const hint = isList ? 'Write its first text as "command", and the others as the list "args".' : `Write "${key}": "…", or remove it.`;
    return { key, message: `\`${key}\` is ${is}; it must be text.`, hint };
  }
  const args = entry['args'];
  if (args !== undefined && !(Array.isArray(args) && args.every((arg) => typeof arg === 'string')))
    return { key: 'args', message: '`args` must be a list of texts.', hint: 'Write each argument in double quotes: ["--port", "8080"].' };
  for (const key of ['env', 'headers']) {
    const value = entry[key];
    if (value === undefined) continue;
    if (!isObject(value))
      return { key, message: `\`${key}\` is ${kindOf(value)}; it must be an object.`, hint: `Write "${key}": { "NAME": "value" }.` };
    const name = Object.keys(value).find((one) => typeof value[one] !== 'string');
    if (name !== undefined)
      return { key, message: `\`${key}.${name}\` is ${kindOf(value[name])}; it must be text.`, hint: 'Put the value in double quotes.' };
  }
  const prefix = entry['prefix'];
  if (prefix !== undefined && !(typeof prefix === 'string' && PREFIX.test(prefix) && prefix.length <= PREFIX_CHARACTERS)) {
    const hint = `It is put before each tool's name: letters, digits, \`_\` and \`-\`, a letter first, ${PREFIX_CHARACTERS} at most; "" is none.`;
    return { key: 'prefix', message: `\`prefix\` is ${JSON.stringify(prefix)}, which cannot begin the name of a tool.`, hint };
  }
  const auth = entry['auth'];
  if (auth !== undefined && auth !== 'server' && auth !== 'member')
    return {
      key: 'auth',
      message: `\`auth\` is ${JSON.stringify(auth)}; it must be "server" or "member".`,
      hint: 'Write "member" if each member signs in at the server, or remove it for one sign-in.',
    };
  for (const key of ['disabled', 'enabled', 'keepAlive']) {
    const value = entry[key];
    if (value !== undefined && typeof value !== 'boolean')
      return { key, message: `\`${key}\` is ${kindOf(value)}; it must be true or false.`, hint: 'Write true or false without quotes.' };
  }
  return null;
}

function stdioConnection(entry: Readonly<Record<string, unknown>>): ServerConnectionSettings {
  const { command, args, env, cwd } = entry;
  return {
    type: 'stdio',
    command: String(command),
    args: Array.isArray(args) ? args.map(String) : [],
    env: textsOf(env),
    cwd: typeof cwd === 'string' ? cwd : null,
  };
}

function httpConnection({ url, headers, type }: Readonly<Record<string, unknown>>): ServerConnectionSettings {
  return { type: 'http', url: String(url), headers: textsOf(headers), isSse: type === 'sse' };
}

function textsOf(value: unknown): Record<string, string> {
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)])) : {};
}

function missingMessage(entry: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(entry);
  const has =
    keys.length === 0
      ? 'nothing'
      : keys
          .slice(0, 5)
          .map((key) => `\`${key}\``)
          .join(', ');
  return `The entry has ${has}, but neither \`command\` nor \`url\`.`;
}

function missingHint(entry: Readonly<Record<string, unknown>>): string {
  if ('mcpServers' in entry || 'servers' in entry)
    return 'A list of servers belongs in extensions/mcp.json. In a folder of its own the file is one server: { "command": "…", "args": ["…"] }.';
  const names = ['command', 'url'];
  for (const key of Object.keys(entry)) {
    const meant = meantKey(key, names);
    if (meant !== null) return `Did you mean \`${meant}\` where it says \`${key}\`?`;
  }
  return 'Add "command": "…" for a server that is started here, or "url": "https://…" for one that runs elsewhere.';
}

const TIMEOUT_MOST_SECONDS = LIMITS.callTimeoutMostMs / 1_000;

/** In seconds, as in Cline, goose and Roo Code. Gemini CLI uses milliseconds; its entries work without a limit. */
function readTimeout(value: unknown): { readonly ms: number | null; readonly warnings: readonly string[] } {
  if (value === undefined || value === null) return { ms: null, warnings: [] };
  const seconds = typeof value === 'number' ? value : Number.NaN;
  const ms = Math.round(seconds * 1_000);
  if (ms >= 1 && ms <= LIMITS.callTimeoutMostMs) return { ms, warnings: [] };
  const isInMs = seconds > TIMEOUT_MOST_SECONDS && seconds <= LIMITS.callTimeoutMostMs;
  const meant = isInMs ? ` For ${seconds} milliseconds write ${seconds / 1_000}.` : '';
  const shown = JSON.stringify(value).slice(0, 80);
  return {
    ms: null,
    warnings: [`\`timeout\` in mcp.json is ${shown} and was ignored: it is a number of seconds, ${TIMEOUT_MOST_SECONDS} at most.${meant}`],
  };
}

function meantKey(key: string, names: readonly string[]): string | null {
  const other = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined;
  return other !== undefined && names.includes(other) ? other : nearestName(key, names);
}

function unknownKey(key: string): string {
  const near = meantKey(key, KNOWN);
  return near === null
    ? `\`${key.slice(0, 80)}\` in mcp.json is unknown and was ignored.`
    : `\`${key.slice(0, 80)}\` in mcp.json is unknown and was ignored; did you mean \`${near}\`?`;
}
