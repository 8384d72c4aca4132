import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { listedScenarios, VERSIONS } from './conformance.ts';

const REQUIREMENTS = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/requirements');
const requirementsSchema = z.looseObject({ server: z.array(z.string()), client: z.array(z.string()) });
const SIDES = ['server', 'client'] as const;

it.each(VERSIONS.flatMap((version) => SIDES.map((side) => [version, side] as const)))(
  'the page lists every scenario that %s requires of a %s',
  (version, side) => {
    const required = requirementsSchema.parse(parse(readFileSync(path.join(REQUIREMENTS, `${version}.yaml`), 'utf8')))[side];
    const listed = listedScenarios(side);
    expect(required.filter((name) => (listed.get(name)?.[version] ?? '') === '')).toEqual([]);
  },
);

it.each(SIDES)('gives a reason for every scenario of a %s that does not pass', (side) => {
  for (const states of listedScenarios(side).values())
    for (const version of VERSIONS)
      expect(states[version]).toMatch(/^(?:|passes|names|keys|tool|extension|person|credentials|document|null)$/);
});
