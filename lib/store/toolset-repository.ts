import type { Compilable } from 'kysely';
import * as z from 'zod';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { type PutToolset, putToolsetSchema } from '#lib/contract/toolset.ts';
import { changesOf, countOf, type Database, type Db } from './database.ts';
import { strictTable } from './dialect.ts';

export interface ToolsetRow extends PutToolset {
  readonly name: string;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
  /** Null when unknown. */
  readonly updatedBy: string | null;
}

export interface ToolsetRepository {
  /** By name. */
  list(): Promise<ToolsetRow[]>;
  /** Replaces the one with its name. Nothing is stored when `most` others exist. */
  put(row: ToolsetRow, most: number): Promise<'stored' | 'full'>;
  /** False: there was none. */
  remove(name: string): Promise<boolean>;
}

const storedSchema = z.string().transform((text) => putToolsetSchema.parse(parseExactJson(text)));

export function createToolsetRepository({ read, write }: Database): ToolsetRepository {
  return {
    async list() {
      const rows = await read.selectFrom('toolsets').selectAll().orderBy('name').execute();
      return rows.map((row) => ({
        name: row.name,
        ...storedSchema.parse(row.toolset_json),
        updatedAt: row.updated_at,
        updatedBy: row.updated_by,
      }));
    },
    put({ name, title, instructions, tools, members, updatedAt, updatedBy }, most) {
      const values = {
        toolset_json: JSON.stringify({ title, instructions, tools, members }),
        updated_at: updatedAt,
        updated_by: updatedBy,
      };
      return write(async (db) => {
        if (changesOf(await db.updateTable('toolsets').set(values).where('name', '=', name).executeTakeFirst()) > 0) return 'stored';
        if ((await countOf(db.selectFrom('toolsets'))) >= most) return 'full';
        await db
          .insertInto('toolsets')
          .values({ name, ...values })
          .execute();
        return 'stored';
      });
    },
    remove: (name) => write(async (db) => changesOf(await db.deleteFrom('toolsets').where('name', '=', name).executeTakeFirst()) > 0),
  };
}

export interface ToolsetsTable {
  name: string;
  toolset_json: string;
  updated_at: string;
  updated_by: string | null;
}

/** Toolsets, and the tokens that are limited to one. */
export function toolsetTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`toolsets (name text primary key, toolset_json text, updated_at text, updated_by text?)`,
    db.schema.alterTable('api_tokens').addColumn('toolset', 'text'),
  ];
}
