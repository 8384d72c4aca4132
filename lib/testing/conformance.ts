import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The scenarios of the official conformance suite, as docs/mcp.md lists them. */
export const VERSIONS = ['2025-11-25', '2026-07-28'] as const;
export type ScenarioVersion = (typeof VERSIONS)[number];

const PAGE = path.resolve(import.meta.dirname, '../../docs/mcp.md');
const ROW = /^\| `([\w/-]+)` \| ([^|]*) \| ([^|]*) \|$/gm;

export type ScenarioSide = 'server' | 'client';
const HEADINGS = { server: '### As a server', client: '### As a client' } as const;

/** Results of each scenario on the page, by version; empty: not part of that version. */
export function listedScenarios(side: ScenarioSide): ReadonlyMap<string, Readonly<Record<ScenarioVersion, string>>> {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split(`\n${HEADINGS[side]}\n`);
  const rows = [...(section.split('\n#')[0] ?? '').matchAll(ROW)];
  return new Map(
    rows.map(([, name = '', older = '', newer = '']) => [name, { '2025-11-25': older.trim(), '2026-07-28': newer.trim() }] as const),
  );
}

export function passingScenarios(side: ScenarioSide): Readonly<Record<ScenarioVersion, readonly string[]>> {
  const of = (version: ScenarioVersion): readonly string[] =>
    [...listedScenarios(side)].filter(([, states]) => states[version] === 'passes').map(([name]) => name);
  return { '2025-11-25': of('2025-11-25'), '2026-07-28': of('2026-07-28') };
}
