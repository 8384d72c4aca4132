import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import { isSecretStoreName, SECRET_NAME_RULE } from '#lib/contract/names.ts';
import type { Secret, SecretList } from '#lib/contract/secrets.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import type { ExtensionLoader } from '#lib/loader/extension-loader.ts';
import type { Slot } from '#lib/loader/extension-slot.ts';
import type { KnownSecrets } from '#lib/contract/known-secrets.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { SecretRow } from '#lib/store/secret-repository.ts';
import type { Store } from '#lib/store/store.ts';
import type { Actor } from './host.ts';
import type { Logger } from './logger.ts';

/** Named secrets, and the extensions that use them. Values are write-only. */
export interface HostSecrets {
  list(): SecretList;
  /** Resolves once the extensions that use it are loaded with the new value, or have failed. */
  put(name: string, value: string, actor: Actor): Promise<Result<Secret>>;
  /** Extensions that use it stop serving. Returns the removed one. */
  remove(name: string, actor: Actor): Promise<Result<Secret>>;
}

interface RunningHostSecrets {
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

/**
 * The named secrets: encrypted in the database, readable in this process only. Every value is redacted wherever text is
 * stored or shown. What can go wrong: a value was encrypted with a key that this server does not have (it counts as missing until it
 * is set again); it was encrypted with an older key (it is encrypted again at the start).
 */
export interface SecretStore {
  /** By name; without values. */
  list(): readonly StoredSecret[];
  has(name: string): boolean;
  /** The names in this list that are set. */
  valuesOf(names: readonly string[]): Readonly<Record<string, string>>;
  put(name: string, value: string, actor: string | null): Promise<'stored' | 'full'>;
  /** Null: there was none. */
  remove(name: string): Promise<StoredSecret | null>;
  /** Reads all secrets again, because another server changed some. Returns the names whose value changed. */
  refresh(): Promise<readonly string[]>;
}

interface StoredSecret extends Omit<SecretRow, 'sealed'> {
  readonly isReadable: boolean;
}

interface Known extends StoredSecret {
  readonly value: string | null;
}

export async function openSecretStore(
  secrets: Store['secrets'],
  sealer: Sealer,
  redacted: KnownSecrets,
  logger: Logger,
): Promise<SecretStore> {
  let known = new Map<string, Known>();
  for (const { sealed, ...row } of await secrets.list()) {
    const value = sealer.open(sealed, purposeOf(row.name));
    known.set(row.name, { ...row, value, isReadable: value !== null });
    if (value === null)
      logger.error(
        `The secret ${row.name} was encrypted with a key that this server does not have; set it again, or add the key to SECRETS_KEY`,
      );
    else if (!sealer.isCurrent(sealed)) await secrets.seal(row.name, sealed, sealer.seal(value, purposeOf(row.name)));
  }
  redacted.learn([...known.values()].flatMap(({ value }) => value ?? []));

  return {
    list: () => [...known.values()].map(({ value: _value, ...shown }) => shown).toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    has: (name) => known.get(name)?.isReadable === true,
    valuesOf: (names) =>
      Object.fromEntries(
        names.flatMap((name): [string, string][] => {
          const value = known.get(name)?.value ?? null;
          return value === null ? [] : [[name, value]];
        }),
      ),
    async put(name, value, actor) {
      // Before the first use of the value.
      redacted.learn([value]);
      const row = { name, updatedAt: new Date().toISOString(), updatedBy: actor };
      const outcome = await secrets.put({ ...row, sealed: sealer.seal(value, purposeOf(name)) }, LIMITS.secrets);
      if (outcome === 'stored') known.set(name, { ...row, value, isReadable: true });
      return outcome;
    },
    async refresh() {
      const rows = await secrets.list();
      const fresh = new Map(
        rows.map(({ sealed, ...row }): [string, Known] => {
          const value = sealer.open(sealed, purposeOf(row.name));
          return [row.name, { ...row, value, isReadable: value !== null }];
        }),
      );
      redacted.learn([...fresh.values()].flatMap(({ value }) => value ?? []));
      const changed = [...new Set([...known.keys(), ...fresh.keys()])].filter((name) => known.get(name)?.value !== fresh.get(name)?.value);
      known = fresh;
      return changed;
    },
    async remove(name) {
      const found = known.get(name);
      if (!(await secrets.remove(name)) || found === undefined) return null;
      known.delete(name);
      const { value: _value, ...shown } = found;
      return shown;
    },
  };
}

function purposeOf(name: string): string {
  return `secret:${name}`;
}
