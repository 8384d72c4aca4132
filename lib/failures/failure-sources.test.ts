import { expect, test } from 'vitest';
import type { Failure } from '#lib/contract/failure.ts';
import type { RevisionRow } from '#lib/store/store.ts';
import { readChanges } from './failure-sources.ts';
import { failureRecord } from '#lib/testing/api-records.ts';

const NO_PACKAGES = { failing: null, whenGood: async () => null };
const ENTRY = 'weather/extension.ts';
const HELPER = 'weather/forecast.ts';
const GOOD = { [ENTRY]: "import './forecast.ts';\nrun();\n", [HELPER]: 'export {};\n' };

function row(revision: number, sources: RevisionRow['sources'], build: string | null): RevisionRow {
  return {
    extension: 'weather',
    revision,
    contentHash: `${revision}`,
    createdAt: '2026-01-01T00:00:00.000Z',
    trigger: 'watch',
    actor: null,
    outcome: build === null ? 'failed' : 'loaded',
    description: null,
    build,
    sources,
    runnable: build !== null,
    failureId: null,
  };
}

function failure(code: Failure['code'], file: string, line: number): Failure {
  return failureRecord({
    revision: 2,
    error: 'It broke.',
    code,
    message: 'It broke.',
    hint: '',
    file,
    line,
    column: 1,
    fingerprint: 'f',
    snapshot_version: 2,
    first_seen: '2026-01-01T00:00:00.000Z',
    last_seen: '2026-01-01T00:00:00.000Z',
  });
}

function changes(of: Failure, after: RevisionRow['sources']) {
  const rows = [row(2, after, null), row(1, GOOD, '{}')];
  const revisions = {
    get: async (_: string, revision: number) => rows.find((each) => each.revision === revision) ?? null,
    list: async () => rows,
  };
  return readChanges(revisions, of, 1, NO_PACKAGES);
}

test('does not report a file as removed when the build stopped before reading it', async () => {
  const found = await changes(failure('syntax_error', ENTRY, 2), { [ENTRY]: "import './forecast.ts';\nrun(;\n" });
  expect(found).toMatchObject({ comparable: true, good_revision: 1, failing_revision: 2 });
  expect(found.files.map(({ path, change, guilty }) => [path, change, guilty])).toEqual([[ENTRY, 'changed', true]]);
});

test('reports a file as removed when its import failed', async () => {
  const found = await changes(failure('import_unresolved', ENTRY, 1), { [ENTRY]: GOOD[ENTRY] ?? '' });
  expect(found.files.map(({ path, change }) => [path, change])).toEqual([[HELPER, 'removed']]);
});
