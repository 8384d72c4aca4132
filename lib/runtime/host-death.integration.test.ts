import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenOf, isAlive } from '#lib/testing/child-processes.ts';
import { afterAll, describe, expect, it } from 'vitest';

/** A host of its own, that it may be killed: it runs one extension that turns in a loop, one that is calm, and a spare. */
const here = fileURLToPath(new URL('.', import.meta.url));
const place = realpathSync(mkdtempSync(join(tmpdir(), 'host-death-')));
const HOST = `
  import { createNodeRuntime } from ${JSON.stringify(join(here, 'node-runtime.ts'))};
  import { createRuntimeHarness, startCall } from ${JSON.stringify(join(here, 'runtime-harness.ts'))};
  const folder = ${JSON.stringify(join(here, 'fixtures'))};
  const place = ${JSON.stringify(place)};
  const runtime = createNodeRuntime({
    limits: { loadTimeoutMs: 20_000, maxResultBytes: 1_000, extensionMemoryMb: 300 },
    permissionsOf: () => [], environmentOf: () => ({}), workspaceRoot: place, nodeModulesDirs: [], programDir: place, cacheDir: place + '/cache',
  });
  const harness = createRuntimeHarness(runtime, (name) => {
    const file = folder + '/' + name + '.mjs';
    return { extension: name, kind: 'tools', runtime: 'node', contentHash: name, folder, entryFile: file, programFile: file };
  });
  const busy = await harness.start('misbehaves');
  await harness.start('echo');
  runtime.prepare([folder]);
  startCall(busy, 'loop', {}, 600_000);
  startCall(busy, 'loop', {}, 600_000);
  setTimeout(() => console.log('running'), 100);
`;

afterAll(() => rmSync(place, { recursive: true }));

describe('when the host is killed', () => {
  it.runIf(process.platform === 'linux')('its extensions die with it, even one that turns in a loop', async () => {
    const host = spawn(process.execPath, ['--input-type=module', '-e', HOST], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => host.stdout.once('data', resolve));
    const pid = host.pid ?? 0;
    const children = childrenOf(pid).filter(({ command }) => command.includes('/cache/child-'));
    expect(children.length).toBeGreaterThanOrEqual(2);
    host.kill('SIGKILL');
    while (children.some((child) => isAlive(child.pid))) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});
