import { expect, it } from 'vitest';
import type { FailureGroupRepository, UnsettledGroup } from '#lib/store/failure-group-store.ts';
import type { LoaderState } from './loader-state.ts';
import { NOTHING_LOADED } from './loaded-files.ts';
import { settleFailures } from './settle-failures.ts';
import { createSlot } from './extension-slot.ts';

function readySlot(id: string, revision: number) {
  const located = { id, kind: 'tools' as const, runtime: 'node' as const, folder: `/e/${id}`, entryFile: `/e/${id}/extension.ts` };
  const slot = createSlot(located, { row: null, served: null, newest: null }, { excludedExtensions: new Set() });
  slot.newest = {
    revision,
    contentHash: 'h',
    failure: null,
    scanFailure: null,
    awaitsOwner: null,
    inputs: [],
    missing: [],
    loaded: NOTHING_LOADED,
  };
  return slot;
}

it('resolves all failures that a commit fixes in one transaction, each with the revision that fixed it', async () => {
  const group = (extension: string): UnsettledGroup => ({
    id: `g-${extension}`,
    extension,
    stage: 'build',
    code: 'syntax_error',
    revision: 1,
    instance: null,
  });
  const transactions: Parameters<FailureGroupRepository['resolve']>[0][] = [];
  const events: unknown[] = [];
  const failureGroups: Pick<FailureGroupRepository, 'unsettled' | 'resolve'> = {
    unsettled: async () => [group('a'), group('b'), group('removed')],
    resolve: async (fixes) => {
      transactions.push(fixes);
      return fixes.map(({ id }) => id);
    },
  };
  const state = {
    slots: new Map([readySlot('a', 2), readySlot('b', 7)].map((slot) => [slot.id, slot])),
    options: {
      store: { failureGroups },
      registry: { current: () => ({ version: 9 }) },
      publish: (_: string, data: unknown) => events.push(data),
    },
  };
  await settleFailures(state as unknown as LoaderState);
  const fixes = [
    ['g-a', 2],
    ['g-b', 7],
    ['g-removed', null],
  ] as const;
  expect(transactions).toEqual([fixes.map(([id, revision]) => ({ id, by: { revision, snapshot_version: 9 } }))]);
  expect(events).toEqual(fixes.map(([id]) => ({ snapshot_version: 9, group_id: id, status: 'resolved' })));
});
