import { expect, it, vi } from 'vitest';
import { ok } from '#lib/contract/result.ts';
import { createSlot } from '#lib/loader/extension-slot.ts';
import type { ExtensionRow } from '#lib/store/store.ts';
import { extensionRecord } from '#lib/testing/api-records.ts';
import type { ExtensionActions } from './extension-actions.ts';
import { createSharedActions } from './shared-actions.ts';

const ROW: ExtensionRow = {
  extension: 'weather',
  disabled: false,
  pinnedRevision: null,
  revision: 4,
  servingRevision: 4,
  rolledBackFrom: null,
  loadedAt: null,
  keepAlive: null,
};

const LOCATED = {
  id: 'weather',
  kind: 'tools' as const,
  runtime: 'node' as const,
  folder: '/e/weather',
  entryFile: '/e/weather/extension.ts',
};
const DONE = ok(extensionRecord('weather'));
const unexpected = () => expect.unreachable('This is the same, or decided here');
const slotOfRow = () => createSlot(LOCATED, { row: ROW, served: null, newest: null }, { excludedExtensions: new Set() });

it('applies every setting that another server changed, and undoes no action of this server meanwhile', async () => {
  const slot = slotOfRow();
  const applied: string[] = [];
  const { promise: last, resolve } = Promise.withResolvers<void>();
  const actions: ExtensionActions = {
    restart: unexpected,
    disable: unexpected,
    enable: unexpected,
    rollback: unexpected,
    unpin: unexpected,
    async keepAlive(_, keep) {
      slot.keepAlive = keep;
      // An action of a person that is not stored yet.
      slot.disabled = true;
      applied.push(`keep ${keep}`);
      return DONE;
    },
    async pin(_, revision) {
      slot.pinnedRevision = revision;
      applied.push(`pin ${revision}`);
      resolve();
      return DONE;
    },
  };
  let notice: (about: string) => void = unexpected;
  createSharedActions({
    actions,
    instances: {
      id: () => 'two',
      notify: unexpected,
      onNotice(_, listener) {
        notice = listener;
        return () => undefined;
      },
    },
    loader: { state: { slots: new Map([[slot.id, slot]]) }, reload: unexpected },
    store: { extensions: { get: async () => ({ ...ROW, keepAlive: true, pinnedRevision: 3 }), all: async () => [] } },
    logger: { warn: unexpected },
  });
  notice('');
  await last;
  expect(applied).toEqual(['keep true', 'pin 3']);
});

it('does not overwrite a change on this server while it reads the changes of another', async () => {
  const slot = slotOfRow();
  const reads: ((row: ExtensionRow) => void)[] = [];
  const stored = Promise.withResolvers<void>();
  let notice: (about: string) => void = unexpected;
  const notified: string[] = [];
  const shared = createSharedActions({
    actions: {
      restart: unexpected,
      enable: unexpected,
      rollback: unexpected,
      unpin: unexpected,
      pin: unexpected,
      keepAlive: unexpected,
      async disable() {
        slot.disabled = true;
        await stored.promise;
        return DONE;
      },
    },
    instances: {
      id: () => 'two',
      notify: (_, about = '') => void notified.push(about),
      onNotice(_, listener) {
        notice = listener;
        return () => undefined;
      },
    },
    loader: { state: { slots: new Map([[slot.id, slot]]) }, reload: unexpected },
    store: { extensions: { get: () => new Promise((resolve) => reads.push(resolve)), all: async () => [] } },
    logger: { warn: unexpected },
  });
  notice('one settings weather');
  await vi.waitFor(() => expect(reads).toHaveLength(1));
  const disabled = shared.actions.disable('weather', { name: 'Ada' });
  reads[0]?.(ROW);
  stored.resolve();
  expect(await disabled).toEqual(DONE);
  expect(notified).toEqual(['two settings weather']);
  await vi.waitFor(() => expect(reads).toHaveLength(2));
  reads[1]?.({ ...ROW, disabled: true });
  notice('one settings weather');
  await vi.waitFor(() => expect(reads, 'the first is applied').toHaveLength(3));
});
