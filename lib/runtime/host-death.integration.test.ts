import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenOf, descendantsOf, isAlive } from '#lib/testing/child-processes.ts';
import { afterAll, describe, expect, it } from 'vitest';

/** Runs in a process that the test can kill: one extension in an endless loop, one idle, one prewarmed process. */
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

const SERVER_HOST = `
  import { writeFileSync } from 'node:fs';
  import { createMcpRuntime } from ${JSON.stringify(join(here, 'mcp-runtime.ts'))};
  import { describeServer } from ${JSON.stringify(join(here, '../loader/describe-server.ts'))};
  const place = ${JSON.stringify(place)};
  const environment = { PATH: process.env.PATH };
  const runtime = createMcpRuntime({
    limits: { loadTimeoutMs: 20_000, maxResultBytes: 1_000, extensionMemoryMb: 300 },
    environmentOf: () => environment, commonEnvironment: environment, workspaceRoot: place, cacheDir: place + '/cache',
  });
  const programFile = place + '/server.json';
  const connection = { type: 'stdio', command: process.execPath, args: [${JSON.stringify(join(here, 'fixtures/mcp-server.mjs'))}], env: {}, cwd: null };
  writeFileSync(programFile, JSON.stringify({ extension: 'x', folder: place, subject: [], prefix: '', connection, warnings: [] }));
  const outcome = await runtime.load(
    { extension: 'x', kind: 'mcp', runtime: 'mcp', contentHash: 'x', folder: place, entryFile: programFile, programFile },
    { signal: new AbortController().signal, describe: describeServer, onIncident() {} },
  );
  console.log(outcome.ok ? 'running' : outcome.failure.message);
`;

const PYTHON_HOST = `
  import { createPythonRuntime } from ${JSON.stringify(join(here, 'python-runtime.ts'))};
  import { createRuntimeHarness, pythonArtifact, startCall } from ${JSON.stringify(join(here, 'runtime-harness.ts'))};
  const place = ${JSON.stringify(place)};
  const environment = { PATH: process.env.PATH };
  const runtime = createPythonRuntime({
    limits: { loadTimeoutMs: 20_000, maxResultBytes: 1_000, extensionMemoryMb: 300 }, python: 'python3',
    environmentOf: () => environment, commonEnvironment: environment, workspaceRoot: place, cacheDir: place + '/cache',
  });
  const harness = createRuntimeHarness(runtime, (name) => pythonArtifact(name, place + '/python'));
  const busy = await harness.start('misbehaves');
  await harness.start('echo');
  startCall(busy, 'loop', {}, 600_000);
  setTimeout(() => console.log('running'), 100);
`;

afterAll(() => rmSync(place, { recursive: true }));

describe('when the host is killed', () => {
  it.runIf(process.platform === 'linux')('its extensions die with it, even one in an endless loop', async () => {
    const host = spawn(process.execPath, ['--input-type=module', '-e', HOST], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => host.stdout.once('data', resolve));
    const pid = host.pid ?? 0;
    const children = childrenOf(pid).filter(({ command }) => command.includes('/cache/child-'));
    expect(children.length).toBeGreaterThanOrEqual(2);
    host.kill('SIGKILL');
    while (children.some((child) => isAlive(child.pid))) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it.runIf(process.platform === 'linux')('Python extensions and their validator process die with it', async () => {
    const host = spawn(process.execPath, ['--input-type=module', '-e', PYTHON_HOST], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(host.stdout, 'data');
    // The fork server, two extensions and the validator.
    const children = descendantsOf(host.pid ?? 0).filter(({ command }) => /python\/main\.py|\/cache\/guard-/.test(command));
    expect(children.length).toBeGreaterThanOrEqual(4);
    host.kill('SIGKILL');
    while (children.some((child) => isAlive(child.pid))) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it.runIf(process.platform === 'linux')('an MCP server dies with it, even one that does not end with its input', async () => {
    const host = spawn(process.execPath, ['--input-type=module', '-e', SERVER_HOST], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = await once(host.stdout, 'data');
    expect(String(said)).toContain('running');
    // Another process of the same program may be writing its code cache.
    const bridges = childrenOf(host.pid ?? 0).filter(({ command }) => command.includes('/cache/server-'));
    const servers = bridges.flatMap(({ pid }) => childrenOf(pid)).filter(({ command }) => command.includes('mcp-server.mjs'));
    expect(servers).toHaveLength(1);
    host.kill('SIGKILL');
    while (servers.some((server) => isAlive(server.pid))) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});
