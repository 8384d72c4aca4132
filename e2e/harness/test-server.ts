import { cp, mkdir, mkdtemp, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Call, callSchema } from '#lib/contract/call.ts';
import { API } from '#lib/contract/paths.ts';
import { copySharedPrograms } from '#lib/testing/shared-programs.ts';
import { ROOT, startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

/** A running server with its own folders: copies of shipped extensions and fixtures, an empty data folder and a workspace. */
export interface TestServer {
  readonly address: string;
  readonly workspace: string;
  /** Writes a file below the extensions folder atomically, as editors do. */
  save(file: string, text: string): Promise<void>;
  /** Removes a file or folder below the extensions folder. */
  removeFile(name: string): Promise<void>;
  read(file: string): Promise<string>;
  /** Calls a tool through the API. */
  call(tool: string, args?: Readonly<Record<string, unknown>>, headers?: Readonly<Record<string, string>>): Promise<Call>;
  /** Output of the server since its start, by line. */
  output(): readonly string[];
  stop(): Promise<void>;
  /** Uses the same port and folders. */
  start(): Promise<void>;
  /** Stops it, removes its folders, and fails if the server logged errors. */
  remove(): Promise<void>;
}

export interface TestServerOptions {
  /** Selected shipped extensions; a few fast ones by default. */
  readonly shipped?: 'all' | readonly string[];
  /** Names of folders in e2e/fixtures. */
  readonly fixtures: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const QUICK = ['example', 'math', 'shell', 'weather'];

export async function startTestServer({ shipped = QUICK, fixtures, env }: TestServerOptions): Promise<TestServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-e2e-'));
  const extensions = path.join(folder, 'extensions');
  const workspace = path.join(folder, 'workspace');
  const isCopied = (source: string) => !/\.test\.ts$|tsconfig\.json$/.test(source);
  for (const name of shipped === 'all' ? await readdir(path.join(ROOT, 'extensions')) : shipped)
    await cp(path.join(ROOT, 'extensions', name), path.join(extensions, name), { recursive: true, filter: isCopied });
  // Extensions resolve the project's packages, as in a clone.
  await symlink(path.join(ROOT, 'node_modules'), path.join(path.dirname(extensions), 'node_modules'));
  for (const name of fixtures) await cp(path.join(ROOT, 'e2e', 'fixtures', name), path.join(extensions, name), { recursive: true });
  await mkdir(workspace);
  const data = path.join(folder, 'data');
  await copySharedPrograms(path.join(data, 'programs'));

  const run = (port: number): Promise<ServerProcess> =>
    startServer({
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      ...(process.env['NEXT_DIST_DIR'] === undefined ? {} : { NEXT_DIST_DIR: process.env['NEXT_DIST_DIR'] }),
      PORT: String(port),
      EXTENSIONS_DIR: extensions,
      DATA_DIR: data,
      WORKSPACE_ROOT: workspace,
      DRAIN_SECONDS: '0',
      // Only ends loads that hang: other tests use the processors too.
      LOAD_TIMEOUT_MS: '60000',
      ...env,
    });
  let running = await run(0);
  const { address, port } = running;
  const errors: string[] = [];

  async function stop(): Promise<void> {
    await running.stop();
    errors.push(...running.errors.splice(0));
  }

  return {
    address,
    workspace,
    async save(file, text) {
      const target = path.join(extensions, file);
      await mkdir(path.dirname(target), { recursive: true });
      const temporary = path.join(folder, 'half-written');
      await writeFile(temporary, text);
      await rename(temporary, target);
    },
    removeFile: (name) => rm(path.join(extensions, name), { recursive: true }),
    read: (file) => readFile(path.join(extensions, file), 'utf8'),
    async call(tool, args = {}, headers = {}) {
      const response = await fetch(`${address}${API.callTool(tool)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ arguments: args }),
      });
      if (!response.ok) throw new Error(`The call of ${tool} was refused with ${response.status}: ${await response.text()}`);
      return callSchema.parse(await response.json());
    },
    output: () => running.output,
    stop,
    async start() {
      running = await run(port);
    },
    async remove() {
      await stop();
      await rm(folder, { recursive: true });
      if (errors.length > 0) throw new Error(`The server logged errors:\n${errors.join('\n')}`);
    },
  };
}
