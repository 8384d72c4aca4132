import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { call, createRuntimeHarness, pythonArtifact, resultOf } from '#lib/runtime/runtime-harness.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAMS_DIR } from '#lib/testing/shared-programs.ts';
import { findNoNetworkPrefix } from './parent-death.ts';
import { createPythonRuntime } from './python-runtime.ts';

/** Restrictions for Python extensions: the network, if the system has user namespaces. */
const place = realpathSync(mkdtempSync(join(tmpdir(), 'python-isolation-')));
let neighbour: Server;
let url: string;
let canDenyNetwork: boolean;

beforeAll(async () => {
  canDenyNetwork = (await findNoNetworkPrefix()).length > 0;
  neighbour = createServer((_request, response) => response.end('reached')).listen(0, '127.0.0.1');
  await once(neighbour, 'listening');
  const address = neighbour.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
});

afterAll(() => {
  neighbour.close();
  rmSync(place, { recursive: true });
});

const runtimeWith = (permissions: readonly string[]) =>
  createRuntimeHarness(
    createPythonRuntime({
      limits: { loadTimeoutMs: 10_000, maxResultBytes: 100_000, extensionMemoryMb: 200 },
      python: 'python3',
      permissionsOf: () => permissions,
      environmentOf: () => ({}),
      commonEnvironment: { PATH: process.env['PATH'] ?? '' },
      workspaceRoot: place,
      cacheDir: PROGRAMS_DIR,
    }),
    (fixture) => pythonArtifact(fixture, join(place, 'programs')),
  );

describe('a Python extension', () => {
  it('with `net` reaches the network', async () => {
    const { runtime, start } = runtimeWith(['net']);
    const extension = await start('uses-permissions');
    expect(await resultOf(extension, 'fetch', { url })).toBe('reached');
    expect(await resultOf(extension, 'fetch_in_program', { url })).toBe('reached');
    await runtime.close();
  });

  it('without it has no network, nor do its programs, if the system supports it, and the missing permission is reported', async () => {
    const { runtime, start } = runtimeWith([]);
    const extension = await start('uses-permissions');
    for (const tool of ['fetch', 'connect']) {
      const outcome = await call(extension, tool, { url });
      if (!canDenyNetwork) expect(outcome.status).toBe('succeeded');
      else expect(outcome).toMatchObject({ error: { message: expect.stringContaining('EXTENSION_ALLOW=uses-permissions:net added') } });
    }
    expect(await resultOf(extension, 'fetch_in_program', { url })).toBe(canDenyNetwork ? '' : 'reached');
    await runtime.close();
  });
});
