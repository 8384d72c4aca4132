import { setTimeout as delay } from 'node:timers/promises';
import {
  type ColumnDefinitionNode,
  type CreateTableNode,
  type DataTypeNode,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';
import type { Db } from '../database.ts';
import { isOutOfConnections, toPostgresError } from './postgres-error.ts';
import { migrationsOf } from '../migrations.ts';
import type { Durability } from '../sqlite/database-file.ts';

interface PoolOptions {
  /** postgres://user:password@host:port/database?sslmode=… */
  readonly url: string;
  readonly connections: number;
  readonly statementMs: number;
  readonly connectMs: number;
  /** `power`: each commit waits for the disk, also when the setting of the database is not to wait. */
  readonly durability: Durability;
}

export interface Pool {
  readonly db: Db;
  /** `host:port/database`, without user and password. */
  readonly place: string;
  /** Runs a prepared statement on any free connection. */
  query<Row>(name: string, text: string, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs `work` on one connection, which is dropped when it throws. */
  onConnection<Value>(work: (db: Db, run: (text: string) => Promise<void>) => Promise<Value>): Promise<Value>;
  close(): Promise<void>;
}

const BUSY_AGAIN_MS = 20;
/** Longer than the server's own limit: the connection is lost without an error. */
const SILENT_MS = 5_000;
const WAIT_FOR_DISK = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;
/** Numbers of the store fit into a JavaScript number: times in milliseconds, counts and positions. */
const NUMBERS = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

export function createPool({ url, connections, statementMs, connectMs, durability }: PoolOptions): Pool {
  const place = placeOf(url);
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: statementMs,
    application_name: 'switchboard',
    keepAlive: true,
    /** Compiling a query takes longer than any of these. */
    async onConnect(client) {
      await client.query('set jit = off');
      if (durability === 'power') await client.query(WAIT_FOR_DISK);
    },
    types: {
      getTypeParser(oid: number): (value: string) => unknown {
        if (oid === pg.types.builtins.TEXT) return readText;
        if (NUMBERS.has(oid)) return Number;
        return pg.types.getTypeParser(oid, 'text') as (value: string) => unknown;
      },
    },
  });
  // A connection that is lost: its query is rejected, and the pool makes a new one when it is needed.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function guarded<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      throw toPostgresError(error, place) ?? error;
    }
  }

  /** The server may allow fewer connections than the pool: then a request waits for a free one. */
  async function connect(): Promise<pg.PoolClient> {
    const until = performance.now() + connectMs;
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        if (!isOutOfConnections(error) || performance.now() > until) throw error;
      }
      await delay(BUSY_AGAIN_MS);
    }
  }

  /** Without an answer the connection is dropped, which rejects its query. */
  async function answered<Value>(client: pg.PoolClient, query: () => Promise<Value>): Promise<Value> {
    const timer = setTimeout(() => void client.end().catch(() => undefined), statementMs + SILENT_MS).unref();
    try {
      return await query();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Kysely knows the columns of its compiled query. Rows are not streamed. */
  function clientOf(client: pg.PoolClient, release: (error?: Error | boolean) => void): PostgresPoolClient {
    const run = (text: unknown, values: readonly unknown[] = []): Promise<pg.QueryResult> => {
      if (typeof text !== 'string') throw new Error('Rows are not streamed.');
      return guarded(() => answered(client, () => client.query(text, values.map(bindable))));
    };
    return Object.assign({ release }, { query: run as never });
  }

  const shared: PostgresPool = {
    options: {},
    connect: async () => {
      const client = await guarded(connect);
      return clientOf(client, (error) => client.release(error));
    },
    end: () => pool.end(),
  };

  return {
    db: createPostgresDb(shared),
    place,
    query: <Row>(name: string, text: string, values: readonly unknown[]) =>
      guarded(async () => {
        const client = await connect();
        let failure: unknown = null;
        try {
          const query = { name, text, values: values.map(bindable) };
          return (await answered(client, () => client.query<Row & pg.QueryResultRow>(query))).rows;
        } catch (error) {
          failure = error;
          throw error;
        } finally {
          client.release(failure !== null && !(failure instanceof pg.DatabaseError));
        }
      }),
    async onConnection(work) {
      const client = await guarded(connect);
      const single: PostgresPool = {
        options: {},
        connect: async () => clientOf(client, () => undefined),
        end: async () => undefined,
      };
      let failure: unknown = null;
      try {
        return await work(createPostgresDb(single), async (text) => void (await guarded(() => answered(client, () => client.query(text)))));
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        client.release(failure !== null);
      }
    },
    close: () => pool.end(),
  };
}

/** PostgreSQL stores no zero character: two characters stand for it, the first of which is doubled where it occurs. */
const SIGN = '\u{e5b2}';

function bindable(value: unknown): unknown {
  if (value === undefined) throw new TypeError('a value of type undefined cannot be stored');
  if (typeof value === 'string') return storedText(value);
  return Array.isArray(value) ? value.map(bindable) : value;
}

export function storedText(text: string): string {
  return text.includes('\0') || text.includes(SIGN) ? text.replaceAll(SIGN, SIGN + SIGN).replaceAll('\0', `${SIGN}0`) : text;
}

function readText(value: string): string {
  return value.includes(SIGN) ? value.replaceAll(/\u{e5b2}(.)/gsu, (_, second: string) => (second === '0' ? '\0' : second)) : value;
}

export function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return 'DATABASE_URL';
  }
}

/** @param pool all connections of the pool, or one of them */
function createPostgresDb(pool: PostgresPool): Db {
  const dialect = new PostgresDialect({ pool });
  dialect.createQueryCompiler = () => new Compiler();
  return new Kysely({ dialect });
}

/**
 * The migrations are written once, with the types of SQLite: here an integer has 64 bits, texts are compared by bytes,
 * `seq` is numbered by the database, and tables need no word for strict types.
 */
class Compiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    if (node.dataType === 'integer') this.append('bigint');
    else if (node.dataType === 'text') this.append('text collate "C"');
    else super.visitDataType(node);
  }

  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    if (node.column.column.name !== 'seq' || node.primaryKey !== true) return super.visitColumnDefinition(node);
    this.append('"seq" bigint generated by default as identity primary key');
  }

  protected override visitCreateTable(node: CreateTableNode): void {
    const { endModifiers: _, ...table } = node;
    super.visitCreateTable(table);
  }
}

/** The database has steps that this version does not know. */
export class NewerSchema extends Error {}

/** Any number that other programs do not use for their locks. */
const MIGRATION_LOCK = 7_327_160_271;

/** All missing steps in one transaction, by one process at a time; in the first schema of the search path. */
export async function migrate(onConnection: Pool['onConnection']): Promise<void> {
  const steps = migrationsOf('postgres');
  const known = new Set(steps.map(({ name }) => name));
  await onConnection(async (db, run) => {
    await run('begin');
    await run(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await run('create table if not exists switchboard_migrations (name text collate "C" not null primary key, applied_at text not null)');
    const done = new Set((await db.selectFrom('switchboard_migrations').select('name').execute()).map(({ name }) => name));
    if ([...done].some((name) => !known.has(name))) throw new NewerSchema();
    for (const { name, statements } of steps.filter((step) => !done.has(step.name))) {
      for (const statement of statements(db, 'postgres')) await db.executeQuery(statement.compile());
      await db.insertInto('switchboard_migrations').values({ name, applied_at: new Date().toISOString() }).execute();
    }
    await run('commit');
  });
}
