import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { isSecretStoreName, SECRET_NAME_RULE } from '#lib/contract/missing-secret.ts';
import type { Secret, SecretList } from '#lib/contract/secrets.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import type { ExtensionLoader } from '#lib/loader/extension-loader.ts';
import type { Slot } from '#lib/loader/extension-slot.ts';
import type { Actor } from './host.ts';
import type { SecretStore, StoredSecret } from './secret-store.ts';

/** Named secrets, and the extensions that use them. Values are write-only. */
export interface HostSecrets {
  list(): SecretList;
  /** Resolves once the extensions that use it are loaded with the new value, or have failed. */
  put(name: string, value: string, actor: Actor): Promise<Result<Secret>>;
  /** Extensions that use it stop serving. Returns the removed one. */
  remove(name: string, actor: Actor): Promise<Result<Secret>>;
}

export interface RunningHostSecrets {
  readonly host: HostSecrets;
  /** Another server changed some secrets: reloads the extensions that use them here. */
  refresh(): Promise<void>;
}

/**
 * @param variablesOf environment of the extensions in a folder: a variable replaces a secret that is not set
 * @param changed notifies other servers
 */
export function createHostSecrets(
  store: SecretStore,
  loader: ExtensionLoader,
  variablesOf: (folder: string) => Readonly<Record<string, string>>,
  changed: () => void,
): RunningHostSecrets {
  const users = (name: string): readonly Slot[] =>
    [...loader.state.slots.values()]
      .filter((slot) => slot.secrets.includes(name) && !slot.isExcluded && !slot.isLeftOut)
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));

  const show = ({ name, updatedAt, updatedBy, isReadable }: StoredSecret): Secret => ({
    name,
    uses: users(name).map(({ id }) => id),
    updated_at: updatedAt,
    updated_by: updatedBy,
    readable: isReadable,
  });

  const missing = (): SecretList['missing'] => {
    const named = new Set([...loader.state.slots.values()].flatMap(({ secrets }) => secrets));
    return [...named]
      .filter((name) => !store.list().some((stored) => stored.name === name))
      .map((name) => ({
        name,
        uses: users(name)
          .filter(({ folder }) => !Object.hasOwn(variablesOf(folder), name))
          .map(({ id }) => id),
      }))
      .filter(({ uses }) => uses.length > 0)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  };

  /** Running calls finish in the process in which they started. */
  async function loadUsers(name: string, actor: Actor, stops: boolean): Promise<void> {
    const cause: SnapshotCause = { kind: 'secret', actor: actor.name, files: [] };
    const slots = users(name).filter(({ disabled }) => !disabled);
    if (slots.length === 0) return;
    for (const slot of slots) {
      const mark = async (): Promise<Result<null>> => {
        slot.isOutdated = true;
        if (stops) slot.serving = null;
        return ok(null);
      };
      await loader.change(slot.id, cause, mark, { loadFollows: true });
    }
    await loader.reload(
      slots.map(({ id }) => id),
      cause,
    );
    // A pinned or rolled-back revision is not replaced by a load.
    for (const { serving, newest } of slots)
      if (serving !== null && serving.revision !== newest?.revision)
        await serving.running.restart('Restarted: the values of its secrets changed');
  }

  const host: HostSecrets = {
    list: () => ({ secrets: store.list().map(show), missing: missing() }),
    async put(name, value, actor) {
      if (!isSecretStoreName(name)) return invalidName(name);
      if ((await store.put(name, value, actor.name)) === 'full')
        return refuse('state_conflict', `There are ${LIMITS.secrets} secrets already. Delete one that is not used.`);
      changed();
      await loadUsers(name, actor, false);
      return found(name);
    },
    async remove(name, actor) {
      if (!isSecretStoreName(name)) return invalidName(name);
      const removed = await store.remove(name);
      if (removed === null) return unknown(name);
      changed();
      await loadUsers(name, actor, true);
      return ok(show(removed));
    },
  };

  return {
    host,
    async refresh() {
      for (const name of await store.refresh()) await loadUsers(name, { name: null }, !store.has(name));
    },
  };

  function found(name: string): Result<Secret> {
    const stored = store.list().find((one) => one.name === name);
    return stored === undefined ? unknown(name) : ok(show(stored));
  }
}

function unknown(name: string): Result<never> {
  return refuse('secret_not_found', `Secret ${name} not found. GET /api/v1/secrets lists all secrets.`);
}

function invalidName(name: string): Result<never> {
  return refuse('resource_name_invalid', `“${name.slice(0, 80)}” cannot be the name of a secret. A name is ${SECRET_NAME_RULE}.`);
}
