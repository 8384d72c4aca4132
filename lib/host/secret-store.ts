import type { KnownSecrets } from '#lib/contract/known-secrets.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { SecretRow } from '#lib/store/secret-repository.ts';
import type { Store } from '#lib/store/store.ts';
import type { Logger } from './logger.ts';

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

export interface StoredSecret extends Omit<SecretRow, 'sealed'> {
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
