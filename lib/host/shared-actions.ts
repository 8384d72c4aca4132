import type { Instances } from '#lib/instances/instances.ts';
import type { ExtensionLoader } from '#lib/loader/extension-loader.ts';
import type { Slot } from '#lib/loader/extension-slot.ts';
import type { ExtensionRow, Store } from '#lib/store/store.ts';
import type { ExtensionActions } from './extension-actions.ts';
import type { Logger } from './logger.ts';

/**
 * Applies a person's action on an extension to all servers: disable, enable, pin, unpin, roll back, keep running, restart
 * and reload. The setting is in the database; a notification makes the others read it. What can go wrong: the notification
 * is lost (all settings are compared when the connection is back); this server cannot run the revision (logged; the page of
 * the extension shows which revision it serves).
 */
export interface SharedActions {
  /** The actions, each followed by a message to the others. */
  readonly actions: ExtensionActions;
  /** Reloads were requested on this server. */
  reloaded(ids: readonly string[] | null): void;
  close(): void;
}

export interface SharedActionsOptions {
  readonly actions: ExtensionActions;
  readonly instances: Pick<Instances, 'id' | 'notify' | 'onNotice'>;
  readonly loader: Pick<ExtensionLoader, 'reload'> & { readonly state: Pick<ExtensionLoader['state'], 'slots'> };
  readonly store: Pick<Store, 'extensions'>;
  readonly logger: Pick<Logger, 'warn'>;
}

const SERVER = { name: null };
const SEPARATOR = ' ';

export function createSharedActions({ actions, instances, loader, store, logger }: SharedActionsOptions): SharedActions {
  let work: Promise<void> = Promise.resolve();
  /** Number of actions on this server that are not stored yet, and of all actions, by extension. */
  const running = new Map<string, Set<Promise<unknown>>>();
  const begun = new Map<string, number>();

  /** Sequential: a later action must not be overtaken. */
  function enqueue(what: () => Promise<void>): void {
    work = work
      .then(what)
      .catch((error: unknown) => logger.warn('a change of another instance could not be applied', { error: String(error) }));
  }

  async function apply(id: string): Promise<void> {
    for (;;) {
      const own = running.get(id);
      if (own !== undefined) await Promise.allSettled(own);
      const before = begun.get(id);
      const row = await store.extensions.get(id);
      // A local action meanwhile is newer than the row.
      if (begun.get(id) !== before) continue;
      const slot = loader.state.slots.get(id);
      if (row === null || slot === undefined || slot.isExcluded || slot.isLeftOut) return;
      for (const change of changesFor(row, slot)) {
        if (begun.get(id) !== before) break;
        const done = await change();
        if (!done.ok) logger.warn('a change of another instance could not be applied', { extension: id, reason: done.problem.detail });
      }
      if (begun.get(id) === before) return;
    }
  }

  /** All differences at one moment: later ones may be local actions that are not stored yet. */
  function changesFor(row: ExtensionRow, slot: Slot): readonly (() => ReturnType<ExtensionActions['enable']>)[] {
    const { id } = slot;
    const changes: (() => ReturnType<ExtensionActions['enable']>)[] = [];
    if (row.disabled !== slot.disabled) changes.push(() => (row.disabled ? actions.disable(id, SERVER) : actions.enable(id, SERVER)));
    if (row.keepAlive !== slot.keepAlive) changes.push(() => actions.keepAlive(id, row.keepAlive, SERVER));
    if (row.disabled) return changes;
    const { pinnedRevision, rolledBackFrom, servingRevision } = row;
    if (pinnedRevision !== slot.pinnedRevision)
      changes.push(() => (pinnedRevision === null ? actions.unpin(id, SERVER) : actions.pin(id, pinnedRevision, SERVER)));
    else if (rolledBackFrom !== null && servingRevision !== null && slot.serving?.revision !== servingRevision)
      changes.push(() => actions.rollback(id, servingRevision, SERVER));
    return changes;
  }

  const off = instances.onNotice('extensions', (about) => {
    const [from, what, id] = about.split(SEPARATOR);
    if (about === '') {
      for (const slot of loader.state.slots.values()) enqueue(() => apply(slot.id));
      return;
    }
    if (from === instances.id() || id === undefined) return;
    if (what === 'restart') enqueue(async () => void (await actions.restart(id, SERVER)));
    else if (what === 'reload')
      enqueue(async () => void (await loader.reload(id === '*' ? null : [id], { kind: 'reload', actor: null, files: [] })));
    else enqueue(() => apply(id));
  });

  function notify(what: 'settings' | 'restart' | 'reload', id: string): void {
    instances.notify('extensions', [instances.id(), what, id].join(SEPARATOR));
  }

  /** A refused action changed nothing. */
  async function followed(
    what: 'settings' | 'restart',
    id: string,
    done: ReturnType<ExtensionActions['enable']>,
  ): ReturnType<ExtensionActions['enable']> {
    const own = running.get(id) ?? new Set();
    running.set(id, own.add(done));
    begun.set(id, (begun.get(id) ?? 0) + 1);
    try {
      const result = await done;
      if (result.ok) notify(what, id);
      return result;
    } finally {
      own.delete(done);
      if (own.size === 0) running.delete(id);
    }
  }

  return {
    actions: {
      restart: (id, actor) => followed('restart', id, actions.restart(id, actor)),
      disable: (id, actor) => followed('settings', id, actions.disable(id, actor)),
      enable: (id, actor) => followed('settings', id, actions.enable(id, actor)),
      rollback: (id, revision, actor) => followed('settings', id, actions.rollback(id, revision, actor)),
      pin: (id, revision, actor) => followed('settings', id, actions.pin(id, revision, actor)),
      keepAlive: (id, keep, actor) => followed('settings', id, actions.keepAlive(id, keep, actor)),
      unpin: (id, actor) => followed('settings', id, actions.unpin(id, actor)),
    },
    reloaded(ids) {
      for (const id of ids ?? ['*']) notify('reload', id);
    },
    close: off,
  };
}
