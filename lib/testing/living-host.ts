import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Call } from '#lib/contract/call.ts';
import type { Extension, ReloadReport } from '#lib/contract/extension.ts';
import type { Problem, Result } from '#lib/contract/result.ts';
import type { Tracer } from '#lib/contract/tracing.ts';
import { createHost } from '#lib/host/create-host.ts';
import type { HostConfig } from '#lib/host/config.ts';
import type { Host } from '#lib/host/host.ts';
import { createLogger } from '#lib/host/logger.ts';
import { readConfig } from '#lib/host/read-config.ts';
import './keep-esbuild.ts';
import { copyDatabaseTemplate } from './database-template.ts';
import { PROGRAMS_DIR } from './shared-programs.ts';
import { createTestDatabase, readRows, type TestDatabase } from './test-database.ts';

/**
 * A real host on a temporary folder: real files, real children, a real database; no port and no pages. With TEST_DATABASE=postgres
 * it uses PostgreSQL, unless the test sets a database.
 */
export interface LivingHost {
  readonly host: Host;
  readonly folder: string;
  readonly log: string[];
  /** Writes below the extensions folder; `null` removes. */
  save(files: Readonly<Record<string, string | Uint8Array | null>>): Promise<void>;
  call(tool: string, args?: Readonly<Record<string, unknown>>, more?: { timeoutMs?: number; revision?: number }): Promise<Call>;
  extension(id: string): Extension | undefined;
  reload(ids?: readonly string[]): Promise<ReloadReport>;
  /** Rows of a read-only query of its database. */
  rows(query: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Stops it and starts another on the same folders. */
  restart(change?: HostChange): Promise<LivingHost>;
  /** Stops it and removes its folders. */
  remove(): Promise<void>;
}

/** Differences from the settings of a host without environment variables. */
export interface HostChange extends Partial<HostConfig> {
  /** Off by default, because most tests load once. On for tests of loads, which then use the prewarmed process, as on a server. */
  readonly prewarms?: boolean;
}

/** For tests of features that need a SQLite file. */
export const OF_SQLITE = { database: null } as const;

const NOBODY = { name: null };
/** The time limit only ends loads that hang: other tests may use the processors. */
const SETTINGS = { EXTENSIONS_DIR: 'extensions', DATA_DIR: 'data', WORKSPACE_ROOT: 'workspace', LOAD_TIMEOUT_MS: '60000' };

export async function startHost(
  files: Readonly<Record<string, string>> = {},
  change: HostChange = {},
  tracer: Tracer | null = null,
  environment: Readonly<Record<string, string>> = {},
): Promise<LivingHost> {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-host-'));
  await mkdir(path.join(folder, 'extensions'));
  await saveFiles(folder, files);
  const database = change.database === undefined ? await createTestDatabase() : null;
  return await startIn(folder, database, change, tracer, environment);
}

async function startIn(
  folder: string,
  database: TestDatabase | null,
  { prewarms = false, ...change }: HostChange,
  tracer: Tracer | null,
  environment: Readonly<Record<string, string>>,
): Promise<LivingHost> {
  await mkdir(path.join(folder, 'workspace'), { recursive: true });
  const read = readConfig({ ...SETTINGS, PORT: '0' }, folder);
  if (!read.ok) throw new Error(read.reason);
  const log: string[] = [];
  // Servers on one database need the same key.
  const shared = change.database == null ? {} : { secretsKeys: ['the key of the tests'.repeat(2)] };
  const config = { ...read.config, ...(database === null ? {} : { database: database.settings }), ...shared, ...change };
  if (config.database === null) await copyDatabaseTemplate(path.join(config.dataDir, 'switchboard.db'));
  const made = await createHost(
    config,
    createLogger({ write: (line) => log.push(line), readable: true, level: 'debug' }),
    {
      PATH: process.env['PATH'],
      HOME: folder,
      SECRET_OF_THE_SHELL: 'visible',
      EXTENSIONS_ADMIN_TOKEN: 'never visible',
      TELEGRAM_BOT_TOKEN: '4242:never_visible',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=never visible',
      ...environment,
    },
    { tracer, prewarms, programsDir: PROGRAMS_DIR },
  );
  if (!made.ok) throw new Error(made.reason);
  const { host } = made;
  await host.ready;
  return {
    host,
    folder,
    log,
    save: async (files) => await saveFiles(folder, files),
    async call(tool, args = {}, more = {}) {
      const started = must(await host.calls.start({ tool, arguments: args, source: 'api', actor: NOBODY, ...more }));
      return JSON.parse(await started.finished);
    },
    rows: async (query) => await readRows(config.database, path.join(config.dataDir, 'switchboard.db'), query),
    extension: (id) => host.extensions.list().extensions.find((item) => item.id === id),
    reload: async (ids) => must(await host.extensions.reload(ids ?? null, NOBODY)),
    async restart(next = change) {
      await host.close();
      return await startIn(folder, database, { prewarms, ...next }, tracer, environment);
    },
    async remove() {
      await host.close();
      await database?.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Writes files atomically, as editors do. */
async function saveFiles(folder: string, files: Readonly<Record<string, string | Uint8Array | null>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, 'extensions', name);
    if (text === null) {
      await rm(file, { recursive: true, force: true });
      continue;
    }
    await mkdir(path.dirname(file), { recursive: true });
    const beside = path.join(folder, `.${path.basename(file)}.tmp`);
    await writeFile(beside, text);
    await rename(beside, file);
  }
}

export function must<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new Error(`refused: ${result.problem.code}: ${result.problem.detail}`);
}

export function refusal(result: Result<unknown>): Problem {
  if (result.ok) throw new Error('it was not refused');
  return result.problem;
}

/** The source of an extension with one tool that returns `answer`. */
export function oneTool(name: string, answer: string, more = ''): string {
  return `export const TOOL = {
  label: 'Test',
  name: '${name}',
  description: 'Answers with a fixed text.',
  parameters: { text: { type: 'string', description: 'Any text', default: 'none' } },
  async execute(args) { return { answer: ${JSON.stringify(answer)}, text: args.text }; },
};
${more}`;
}
