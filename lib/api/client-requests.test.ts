import { globSync, readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { API, OAUTH } from '#lib/contract/paths.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';

/** Of the type `ExtensionAction`. */
const ACTIONS = [...readFileSync('lib/client/mutations.ts', 'utf8').matchAll(/readonly action: ([^;}]+)/g)].flatMap(([, names = '']) =>
  names.split('|').map((name) => name.trim().replaceAll("'", '')),
);

/** A path of `API` or `OAUTH` with `x` for each value; one for each action of an extension. */
function addressesOf(path: unknown): readonly string[] {
  if (typeof path !== 'function') return [String(path)];
  return path === API.extensionAction
    ? ACTIONS.map((action) => API.extensionAction('x', action))
    : [String(Reflect.apply(path, null, ['x', 'x']))];
}

/** The first in order answers, as in the router. */
function routeAt(method: string, address: string): Route | undefined {
  const segments = address.split('?', 1)[0]?.split('/') ?? [];
  return ROUTES.find((route) => {
    const own = route.path.split('/');
    const isEqual = own.length === segments.length && own.every((segment, at) => segment.startsWith(':') || segment === segments[at]);
    return route.method === method && isEqual;
  });
}

/** The text of each call of `request`, with its file. */
function requestsOfPages(): readonly { readonly file: string; readonly text: string }[] {
  return globSync(['lib/client/*.{ts,tsx}', 'components/**/*.{ts,tsx}'])
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split(/\brequest\(/)
        .slice(1)
        .map((rest) => {
          let depth = 1;
          let end = 0;
          for (; depth > 0 && end < rest.length; end += 1) depth += rest[end] === '(' ? 1 : rest[end] === ')' ? -1 : 0;
          return { file, text: rest.slice(0, end) };
        }),
    );
}

const requests = requestsOfPages().flatMap(({ file, text }) => {
  const method = /method: '(\w+)'/.exec(text)?.[1] ?? 'GET';
  const admin = /admin: ([^,}]+)/.exec(text)?.[1]?.trim() ?? 'false';
  const named = [...text.matchAll(/\b(API|OAUTH)\.(\w+)/g)];
  const addresses = named.flatMap(([, table, name = '']) => addressesOf(Reflect.get(table === 'API' ? API : OAUTH, name)));
  return addresses.map((address) => ({ file, method, address, admin }));
});

it('finds the requests of the pages', () => {
  expect(requests.length).toBeGreaterThan(80);
});

test.each(requests)('$method $address of $file is a route, and has the admin token if the route needs it', ({ method, address, admin }) => {
  const route = routeAt(method, address);
  expect(route).toBeDefined();
  // Reads are open, and what only a signed-in person may do needs no token.
  const needsToken = method !== 'GET' && route?.access === 'admin' && !/^(?:members|tokens)\./.test(route.action);
  if (route?.access === 'by request') expect(admin).not.toBe('false');
  else expect(admin).toBe(String(needsToken));
});

test.each(
  Object.values(API)
    .flatMap(addressesOf)
    .filter((address) => address !== API.root),
)('%s is the address of a route', (address) => {
  expect(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].some((method) => routeAt(method, address) !== undefined)).toBe(true);
});
