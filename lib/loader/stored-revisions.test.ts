import { expect, it } from 'vitest';
import type { ExtensionRow, SetWrites } from '#lib/store/store.ts';
import { createSlot, type Slot } from './extension-slot.ts';
import { NOTHING_LOADED } from './loaded-files.ts';
import { storeSlot } from './stored-revisions.ts';

const ROW: ExtensionRow = {
  extension: 'weather',
  disabled: false,
  pinnedRevision: null,
  revision: null,
  servingRevision: null,
  rolledBackFrom: null,
  loadedAt: null,
  keepAlive: null,
};

function slotOf(row: ExtensionRow) {
  const located = {
    id: 'weather',
    kind: 'tools' as const,
    runtime: 'node' as const,
    folder: '/e/weather',
    entryFile: '/e/weather/extension.ts',
  };
  return createSlot(located, { row, served: null, newest: null }, { excludedExtensions: new Set() });
}

function writesOn(stored: ExtensionRow) {
  const written: ExtensionRow[] = [];
  const writes: Pick<SetWrites, 'extensions' | 'putExtension'> = {
    extensions: { get: async () => stored, all: async () => [stored] },
    putExtension: async (row) => void written.push(row),
  };
  return { writes: writes as SetWrites, written };
}

function newestOf(revision: number): Slot['newest'] {
  return {
    revision,
    contentHash: 'h',
    failure: null,
    scanFailure: null,
    awaitsOwner: null,
    inputs: [],
    missing: [],
    loaded: NOTHING_LOADED,
  };
}

it('does not overwrite settings that another server stored meanwhile', async () => {
  const { writes, written } = writesOn({ ...ROW, disabled: true, pinnedRevision: 3, keepAlive: true });
  const slot = slotOf(ROW);
  slot.newest = newestOf(4);
  await storeSlot(slot, writes);
  expect(written).toEqual([{ ...ROW, revision: 4, disabled: true, pinnedRevision: 3, keepAlive: true }]);
});

it('writes only the setting that a person changed on this server', async () => {
  const { writes, written } = writesOn({ ...ROW, pinnedRevision: 3 });
  const slot = slotOf(ROW);
  const before = { ...slot };
  slot.keepAlive = true;
  await storeSlot(slot, writes, before);
  expect(written).toEqual([{ ...ROW, keepAlive: true, pinnedRevision: 3 }]);
});

it.each([
  ['leaves a rollback of the newest source by another server', 4, 3, 4],
  ['ends a rollback by another server with newer source', 5, null, null],
])('%s', async (_, newest, servingRevision, rolledBackFrom) => {
  const { writes, written } = writesOn({ ...ROW, revision: 4, servingRevision: 3, rolledBackFrom: 4 });
  const slot = slotOf(ROW);
  slot.newest = newestOf(newest);
  slot.disabled = true;
  await storeSlot(slot, writes);
  expect(written.at(-1) ?? { servingRevision: 3, rolledBackFrom: 4 }).toMatchObject({ servingRevision, rolledBackFrom });
});

it('writes nothing when only the time has changed', async () => {
  const { writes, written } = writesOn(ROW);
  const slot = slotOf(ROW);
  slot.loadedAt = '2026-11-22T10:00:00.000Z';
  await storeSlot(slot, writes);
  expect(written).toEqual([]);
});
