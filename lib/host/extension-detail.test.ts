import { expect, test } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import type { RevisionRow } from '#lib/store/store.ts';
import { createRevisionChanges } from './extension-detail.ts';

const tool = (name: string, parameters: Readonly<Record<string, unknown>> = { type: 'object' }) => ({
  name,
  label: name,
  description: 'D.',
  parameters,
  outputSchema: null,
  annotations: {},
  timeoutMs: null,
  examples: [],
  warnings: [],
});

function row(
  revision: number,
  sources: Readonly<Record<string, string>>,
  tools: readonly object[] | null,
  build: string | null = '{}',
): RevisionRow {
  const description = { name: 'a', description: '', instructions: '', hasStatus: false, warnings: [], tools };
  return {
    extension: 'a',
    revision,
    contentHash: `hash ${revision}`,
    createdAt: '2026-01-01T00:00:00.000Z',
    trigger: 'watch',
    actor: null,
    outcome: tools === null ? 'failed' : 'loaded',
    description: tools === null ? null : JSON.stringify(description),
    build,
    sources,
    runnable: tools !== null,
    failureId: null,
  };
}

function changesOf(rows: readonly RevisionRow[]) {
  const reads: number[] = [];
  const changes = createRevisionChanges({
    async get(_extension, revision) {
      reads.push(revision);
      return rows.find((each) => each.revision === revision) ?? null;
    },
  });
  const listed = rows.map((each) => ({ ...each, sources: {} }));
  return { list: () => changes.of(listed), reads };
}

test('lists added, removed and changed tools and files since the previous revision', async () => {
  const { list } = changesOf([
    row(2, { 'a/extension.ts': 'new', 'a/near.ts': 'same', 'a/next.ts': '' }, [
      tool('get_weather', { type: 'object', properties: { city: {} }, required: ['city'] }),
      tool('forecast'),
    ]),
    row(1, { 'a/extension.ts': 'old', 'a/near.ts': 'same', 'a/gone.ts': '' }, [tool('get_weather'), tool('old_tool')]),
  ]);
  expect(await list()).toEqual([
    {
      files_changed: { since: 1, added: ['a/next.ts'], removed: ['a/gone.ts'], changed: ['a/extension.ts'] },
      tools_changed: { since: 1, added: ['forecast'], removed: ['old_tool'], changed: ['get_weather'], breaking: true },
    },
    { files_changed: null, tools_changed: null },
  ]);
});

test('compares tools with the last revision that had any, skipping failed ones', async () => {
  const { list } = changesOf([
    row(3, { 'a/extension.ts': '3' }, [tool('one'), tool('two')]),
    row(2, { 'a/extension.ts': '2' }, null),
    row(1, { 'a/extension.ts': '1' }, [tool('one')]),
  ]);
  expect((await list())[0]?.tools_changed).toEqual({ since: 1, added: ['two'], removed: [], changed: [], breaking: false });
  expect((await list())[1]).toMatchObject({ files_changed: { since: 1, changed: ['a/extension.ts'] }, tools_changed: null });
});

test('does not report files that a broken build did not read as removed or added', async () => {
  const { list } = changesOf([
    row(3, { 'a/extension.ts': '3', 'a/near.ts': 'near' }, []),
    row(2, { 'a/extension.ts': '2' }, null, null),
    row(1, { 'a/extension.ts': '1', 'a/near.ts': 'near' }, []),
  ]);
  const entry = { since: 1, added: [], removed: [], changed: ['a/extension.ts'] };
  expect((await list()).map(({ files_changed: files }) => files)).toEqual([entry, entry, null]);
});

test('reads the sources of two revisions once, and reports nothing when they are no longer stored', async () => {
  const all = Array.from({ length: LIMITS.revisionsKept + 2 }, (_, index) => row(index + 1, { 'a/extension.ts': `${index}` }, []));
  const { list, reads } = changesOf(all.toReversed());
  const first = await list();
  expect(first.map(({ files_changed: files }) => files !== null)).toEqual([...all.slice(3).map(() => true), false, false, false]);
  const read = reads.length;
  expect(await list()).toEqual(first);
  expect(reads).toHaveLength(read);
});
