import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Static imports of a module, without type imports and dynamic imports. */
function loads(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^import (?!type )[^;]*?from '([^']+)';/gms)].map(([, from = '']) =>
    from.startsWith('#') ? from.slice(1) : from.startsWith('.') ? join(dirname(file), from) : from,
  );
}

/** All modules loaded with a module; packages by name. */
function loadedWith(first: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const waiting = [first];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    if (/^(lib|app|server)\b.*\.tsx?$/.test(file)) waiting.push(...loads(file));
  }
  return seen;
}

const isHeavy = (module: string): boolean => /^better-auth|^lib\/accounts\/(create-accounts|auth-engine|oidc)\.ts$/.test(module);

test('without accounts neither the host nor any route loads better-auth', () => {
  const begins = ['lib/host/create-host.ts', 'lib/api/node/http-server.ts', ...globSync('app/**/route.ts', { cwd: ROOT })];
  expect([...loadedWith('lib/api/node/http-server.ts')]).toContain('lib/api/routes/accounts.ts');
  for (const begin of begins) expect([begin, ...loadedWith(begin)].filter(isHeavy)).toEqual([]);
});

test('with accounts the host loads better-auth', () => {
  expect(readFileSync(join(ROOT, 'lib/host/join-instances.ts'), 'utf8')).toContain("await import('#lib/accounts/create-accounts.ts')");
  expect([...loadedWith('lib/accounts/create-accounts.ts')]).toContain('better-auth');
});
