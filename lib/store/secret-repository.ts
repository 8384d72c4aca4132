import type { Compilable } from 'kysely';
import { changesOf, type Columns, countOf, type Database, type Db, fromColumns, toColumns } from './database.ts';
import { strictTable } from './dialect.ts';

/** A named secret; its value is encrypted before it reaches the store. */
export interface SecretRow {
  readonly name: string;
  readonly sealed: string;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
  /** Null when unknown. */
  readonly updatedBy: string | null;
}

export interface SecretRepository {
  /** By name. */
  list(): Promise<SecretRow[]>;
  /** Replaces the one with its name; on disk when it resolves. Nothing is stored when `most` others exist. */
  put(row: SecretRow, most: number): Promise<'stored' | 'full'>;
  /** Stores the same value sealed again; nothing happens when it was changed meanwhile. */
  seal(name: string, before: string, sealed: string): Promise<void>;
  /** False: there was none. */
  remove(name: string): Promise<boolean>;
}

export function createSecretRepository({ read, write }: Database): SecretRepository {
  return {
    async list() {
      return (await read.selectFrom('secrets').selectAll().orderBy('name').execute()).map((row) => fromColumns(row));
    },
    put(row, most) {
      const { name, ...values } = toColumns(row);
      return write(async (db) => {
        if (changesOf(await db.updateTable('secrets').set(values).where('name', '=', name).executeTakeFirst()) > 0) return 'stored';
        if ((await countOf(db.selectFrom('secrets'))) >= most) return 'full';
        await db
          .insertInto('secrets')
          .values({ name, ...values })
          .execute();
        return 'stored';
      });
    },
    seal: (name, before, sealed) =>
      write(async (db) => {
        await db.updateTable('secrets').set({ sealed }).where('name', '=', name).where('sealed', '=', before).execute();
      }),
    remove: (name) => write(async (db) => changesOf(await db.deleteFrom('secrets').where('name', '=', name).executeTakeFirst()) > 0),
  };
}

export type SecretsTable = Columns<SecretRow>;

/** Named secrets, encrypted. */
export function secretTables(db: Db): readonly Compilable[] {
  return [strictTable(db)`secrets (name text primary key, sealed text, updated_at text, updated_by text?)`];
}
