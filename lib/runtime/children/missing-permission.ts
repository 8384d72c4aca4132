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
