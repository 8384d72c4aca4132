import { expect, it } from 'vitest';
import { ok } from '#lib/contract/result.ts';
import { createSlot } from '#lib/loader/slot-creation.ts';
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

it('applies every setting that another server changed, and undoes nothing that is decided here meanwhile', async () => {
  const located = {
    id: 'weather',
    kind: 'tools' as const,
    runtime: 'node' as const,
    folder: '/e/weather',
    entryFile: '/e/weather/extension.ts',
  };
  const slot = createSlot(located, { row: ROW, served: null, newest: null }, { excludedExtensions: new Set() });
  const done = ok(extensionRecord('weather'));
  const applied: string[] = [];
  const { promise: last, resolve } = Promise.withResolvers<void>();
  const unexpected = () => expect.unreachable('This setting is the same');
  const actions: ExtensionActions = {
    restart: unexpected,
    disable: unexpected,
    enable: unexpected,
    rollback: unexpected,
    unpin: unexpected,
    async keepAlive(_, keep) {
      slot.keepAlive = keep;
      // By a person, and not stored yet.
      slot.disabled = true;
      applied.push(`keep ${keep}`);
      return done;
    },
    async pin(_, revision) {
      slot.pinnedRevision = revision;
      applied.push(`pin ${revision}`);
      resolve();
      return done;
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
