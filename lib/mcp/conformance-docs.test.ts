import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { listedScenarios, VERSIONS } from './conformance-for-tests.ts';

const REQUIREMENTS = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/requirements');
const requirementsSchema = z.looseObject({ server: z.array(z.string()) });

it.each(VERSIONS)('the page lists every scenario that %s requires of a server', (version) => {
  const { server } = requirementsSchema.parse(parse(readFileSync(path.join(REQUIREMENTS, `${version}.yaml`), 'utf8')));
  const listed = listedScenarios();
  expect(server.filter((name) => (listed.get(name)?.[version] ?? '') === '')).toEqual([]);
});

it('gives a reason for every scenario that does not pass', () => {
  for (const states of listedScenarios().values())
    for (const version of VERSIONS) expect(states[version]).toMatch(/^(?:|passes|names|keys|tool|extension)$/);
});
