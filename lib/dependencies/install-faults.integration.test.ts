import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Candidate } from '#lib/loader/build.ts';
import { type InstanceProcess, startInstance } from '#lib/testing/instances.ts';
import { must } from '#lib/testing/living-host.ts';
import { type LocalIndex, startLocalIndex } from '#lib/testing/local-index.ts';
import { createDependencies, type Dependencies } from './dependencies.ts';

const PATIENCE = { timeout: 60_000 };
const NEW = { update: false };

let place: string;
let index: LocalIndex;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), 'installs-'));
  index = await startLocalIndex();
  index.addTarball({ name: 'colour-names', version: '1.0.0', files: { 'index.js': 'exports.colour = "red";' } });
  await mkdir(path.join(place, 'extensions/x'), { recursive: true });
  await writeFile(path.join(place, 'extensions/x/package.json'), '{"dependencies":{"colour-names":"*"}}');
  await writeFile(
    path.join(place, 'extensions/x/extension.js'),
    `import { colour } from 'colour-names';
export const TOOL = { label: 'Colour', name: 'name_colour', description: 'Answers with a colour.', parameters: {}, execute: () => colour };
`,
  );
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  await index.close();
  await rm(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

const candidate = (): Candidate => {
  const folder = path.join(place, 'extensions/x');
  return { id: 'x', kind: 'tools', runtime: 'node', folder, entryFile: path.join(folder, 'extension.js') };
};

/** The installs of a server; all servers here share one folder. */
async function openServer(environment: Readonly<Record<string, string>> = {}): Promise<Dependencies> {
  const { PATH = '' } = process.env;
  const server = await createDependencies({
    mode: 'ask',
    sources: 'index',
    extensionsDir: path.join(place, 'extensions'),
    environmentsDir: path.join(place, 'environments'),
    environment: { PATH, HOME: place, ...index.environment, ...environment },
    prefix: async () => [],
    python: async () => null,
    hideSecrets: (text) => text,
    changed: () => undefined,
    ended: async () => undefined,
    log: () => undefined,
  });
  open.push(server);
  return server;
}

const madeHere = async (): Promise<readonly string[]> =>
  (await readdir(path.join(place, 'environments'))).filter((name) => name !== 'declared');

describe('an install', () => {
  it('runs once for two servers that share the folder', async () => {
    const [one, other] = [await openServer(), await openServer()];
    const go = index.pause();
    must(await one.install(candidate(), null, NEW));
    await vi.waitFor(() => expect(index.requested).not.toEqual([]), PATIENCE);
    must(await other.install(candidate(), null, NEW));
    await vi.waitFor(
      async () =>
        expect((await other.view(candidate())).install?.output).toEqual(['Another server installs these packages. Waiting for it.']),
      PATIENCE,
    );
    go();
    await Promise.all([one.settled(), other.settled()]);
    for (const server of [one, other])
      expect(await server.view(candidate())).toMatchObject({ state: 'ready', install: { state: 'succeeded' } });
    expect(index.requested.filter((name) => name.startsWith('/files/'))).toHaveLength(1);
    expect(await madeHere()).toHaveLength(1);
  });

  it('that waits for another server can be cancelled', async () => {
    const [one, other] = [await openServer(), await openServer()];
    index.pause();
    must(await one.install(candidate(), null, NEW));
    await vi.waitFor(() => expect(index.requested).not.toEqual([]), PATIENCE);
    must(await other.install(candidate(), null, NEW));
    must(await other.cancel(candidate()));
    expect((await other.view(candidate())).install?.state).toBe('cancelled');
    expect((await one.view(candidate())).install?.state).toBe('running');
  });

  it('fails on a full disk with a message, leaves no files, and succeeds later', async () => {
    // Stands in for npm and writes to a device that is always full.
    const programs = path.join(place, 'programs');
    await mkdir(programs);
    await writeFile(path.join(programs, 'npm'), '#!/bin/sh\nexec cp package.json /dev/full\n', { mode: 0o755 });
    const full = await openServer({ PATH: `${programs}:${process.env['PATH']}` });
    must(await full.install(candidate(), null, NEW));
    await full.settled();
    expect(await full.view(candidate())).toMatchObject({
      state: 'failed',
      install: { state: 'failed', failure: { message: 'The disk is full.' } },
    });
    expect(await madeHere()).toEqual([]);
    await rm(path.join(programs, 'npm'));
    must(await full.install(candidate(), null, NEW));
    await full.settled();
    expect((await full.view(candidate())).state).toBe('ready');
  });

  it('uses its own folder for temporary files, and removes it at the end', async () => {
    const programs = path.join(place, 'programs');
    await mkdir(programs);
    await writeFile(path.join(programs, 'npm'), '#!/bin/sh\ntouch "$TMPDIR/left" && echo "in $TMPDIR" && exit 1\n', { mode: 0o755 });
    const server = await openServer({ PATH: `${programs}:${process.env['PATH']}`, TMPDIR: '/nowhere' });
    must(await server.install(candidate(), null, NEW));
    await server.settled();
    expect((await server.view(candidate())).install?.output).toEqual([
      expect.stringMatching(new RegExp(`^in ${path.join(place, 'environments')}/\\.making-[^/]+/\\.tmp$`)),
    ]);
    expect(await madeHere()).toEqual([]);
  });

  it('needs no writable home folder', async () => {
    const server = await openServer({ HOME: '/proc/nowhere' });
    must(await server.install(candidate(), null, NEW));
    await server.settled();
    expect((await server.view(candidate())).state).toBe('ready');
    const [made] = await madeHere();
    expect(await readdir(path.join(place, 'environments', made ?? ''))).not.toContain('.tmp');
  });

  it('that a killed server started is repeated by the next server', async () => {
    const start = async (): Promise<InstanceProcess> => {
      const server = await startInstance(
        '',
        {},
        {
          ...index.environment,
          EXTENSIONS_DIR: path.join(place, 'extensions'),
          DATA_DIR: path.join(place, 'data'),
          EXTENSION_DEPENDENCIES: 'auto',
        },
      );
      open.push({ close: () => server.remove() });
      return server;
    };
    const environments = path.join(place, 'data/environments');
    const go = index.pause();
    const killed = await start();
    await vi.waitFor(() => expect(index.requested).not.toEqual([]), PATIENCE);
    expect((await readdir(environments)).filter((name) => name.startsWith('.making-'))).toHaveLength(1);
    killed.signal('SIGKILL');
    await killed.ended;
    go();
    const next = await start();
    await vi.waitFor(async () => {
      const answer = await fetch(`${next.url}/api/v1/tools/name_colour/call`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"arguments":{}}',
      });
      expect(await answer.json()).toMatchObject({ status: 'succeeded', result: 'red' });
    }, PATIENCE);
    expect((await readdir(environments)).filter((name) => name !== 'declared')).toHaveLength(1);
  });
});
