import { relative, sep } from 'node:path';
import { LIMITS } from '#lib/contract/limits.ts';
import type { CallError } from '#lib/contract/call.ts';
import { messageOf, readField, withInnerErrors } from './inner-errors.ts';
import { toNotedJsonText } from './to-json.ts';

/**
 * Any value can be thrown: null, a string, a frozen object, an error with a throwing getter as message. The result is always a
 * message of at most LIMITS.errorMessageBytes, without a stack.
 */
const KINDS = ['invalid_parameters', 'execution_error', 'schema_error', 'not_found'] as const;
type ThrownKind = (typeof KINDS)[number];
const DATA_BYTES = 65_536;
const DATA_OMITTED = '(left out: more than 64 KiB, or not JSON)';

export function toCallError(thrown: unknown, extension: string): CallError {
  const permission = missingPermission(thrown, extension);
  const kind = readField(thrown, 'kind');
  const data = readField(thrown, 'data');
  const kept = data === undefined ? null : toNotedJsonText(data, DATA_BYTES);
  const message = truncateMessage(permission ?? missingModule(thrown) ?? withInnerErrors(messageOf(thrown), thrown));
  return {
    kind: isThrownKind(kind) ? kind : 'execution_error',
    message,
    ...(kept === null ? {} : { data: kept.ok ? (JSON.parse(kept.text) as unknown) : DATA_OMITTED }),
  };
}

/**
 * Node names the built program, which its author never sees. No files are beside it: the bundler does not include imports of
 * computed paths.
 */
export function missingModule(thrown: unknown): string | null {
  if (readField(thrown, 'code') !== 'ERR_MODULE_NOT_FOUND') return null;
  const found = /^Cannot find (module|package) '(.*)' imported from (.*)[\\/]program\.mjs(?:\n.*)?$/s.exec(messageOf(thrown));
  if (found === null) return null;
  const [, what = '', name = '', folder = ''] = found;
  const away = relative(folder, name).replaceAll(sep, '/');
  // A relative path never leads above the data folder; such a path was absolute in the source.
  if (what === 'package' || away.startsWith('../../../')) return `Cannot find the ${what} '${name}'.`;
  const path = away.startsWith('../') ? away : `./${away}`;
  return `Cannot find "${path}": a path that is made before its \`import(…)\` is not followed. Write it between the parentheses, or import \`new URL("${path}", import.meta.url).href\`.`;
}

function isThrownKind(value: unknown): value is ThrownKind {
  return KINDS.some((kind) => kind === value);
}

/** At most LIMITS.errorMessageBytes of UTF-8, with a note if it was truncated. */
export function truncateMessage(message: string): string {
  const wellFormed = message.slice(0, LIMITS.errorMessageBytes).toWellFormed();
  if (message.length <= LIMITS.errorMessageBytes && Buffer.byteLength(wellFormed) <= LIMITS.errorMessageBytes) return wellFormed;
  const note = ` … (truncated; the message had ${message.length} characters)`;
  const room = LIMITS.errorMessageBytes - Buffer.byteLength(note);
  const bytes = Buffer.from(wellFormed).subarray(0, room);
  return `${bytes.toString('utf8').replace(/\uFFFD+$/u, '')}${note}`;
}

/**
 * Node says "Access to this API has been restricted. Use --allow-net …", which does not help an author. So the message names the
 * missing permission and how to grant it. Errors may be wrapped (fetch sets `cause`, net only the message), so the causes are
 * searched.
 */
const PERMISSION_OF_FLAG: Readonly<Record<string, string>> = {
  net: 'net',
  'fs-read': 'read',
  'fs-write': 'write',
  'child-process': 'run',
  worker: 'workers',
  addons: 'addons',
};

const NEED: Readonly<Record<string, string>> = {
  net: 'Using the network',
  read: 'Reading this file',
  write: 'Writing this file',
  run: 'Starting another program',
  workers: 'Starting a worker thread',
  addons: 'Loading a native addon',
};

const CAUSES_FOLLOWED = 4;

/** Null if the error is not a denied access. */
export function missingPermission(thrown: unknown, extension: string): string | null {
  let error = thrown;
  for (let depth = 0; depth < CAUSES_FOLLOWED && typeof error === 'object' && error !== null; depth += 1) {
    const found = readRefusal(error);
    if (found !== null) return describe(found.permission, found.resource, extension);
    try {
      error = Reflect.get(error, 'cause');
    } catch {
      return null;
    }
  }
  return null;
}

function readRefusal(error: object): { readonly permission: string; readonly resource: string | null } | null {
  try {
    const code: unknown = Reflect.get(error, 'code');
    if (code === 'ERR_DLOPEN_DISABLED') return { permission: 'addons', resource: null };
    if (code !== 'ERR_ACCESS_DENIED') return null;
    const message = String(Reflect.get(error, 'message'));
    const resource: unknown = Reflect.get(error, 'resource');
    const flag = /--allow-([a-z-]+)/.exec(message)?.[1];
    const permission = flag === undefined ? guessPermission(message) : PERMISSION_OF_FLAG[flag];
    return permission === undefined ? null : { permission, resource: typeof resource === 'string' && resource !== '' ? resource : null };
  } catch {
    return null;
  }
}

/** `getaddrinfo ERR_ACCESS_DENIED host` contains no flag. */
function guessPermission(message: string): string | undefined {
  return /^(?:getaddrinfo|connect|listen|bind|query\w+) /.test(message) ? 'net' : undefined;
}

function describe(permission: string, resource: string | null, extension: string): string {
  const what = resource === null ? '' : ` (${resource.slice(0, 500)})`;
  return (
    `${NEED[permission] ?? 'This'}${what} needs the permission \`${permission}\`, which this extension does not have. ` +
    `To grant it, start the server with EXTENSION_ALLOW=${extension}:${permission} added to the existing pairs, separated by commas.`
  );
}
