import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { childrenOf, isAlive } from '#lib/testing/child-processes.ts';
import { createOrphanGuard } from '#lib/runtime/orphan-guard.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

/** Programs that leave their process group, session and environment, started in every possible way. */
const FILES: Readonly<Record<string, string>> = {
  'leaver/extension.ts': `
    import { spawn, spawnSync } from 'node:child_process';
    const tool = (name, execute) => ({ label: 'T', name, description: 'Starts a program that outlives it.', parameters: {}, execute });
    export const TOOLS = [
      tool('leave_detached', () => spawn('sleep', ['600'], { detached: true, stdio: 'ignore', env: {} }).pid),
      tool('leave_behind_shell', () => {
        const made = spawnSync('/bin/sh', ['-c', 'setsid sleep 601 >/dev/null 2>&1 & echo $!'], { encoding: 'utf8', env: { PATH: process.env.PATH } });
        return Number(made.stdout);
      }),
      tool('show_environment', () => Object.keys(process.env)),
      tool('end', () => process.exit(1)),
    ];`,
  'serpent/extension.py': `
import os, subprocess
def leave():
    return subprocess.Popen(["sleep", "602"], env={}, start_new_session=True).pid
def show():
    return sorted(os.environ)
TOOLS = [
    {"label": "T", "name": "leave_python", "description": "Starts a program that outlives it.", "parameters": {}, "execute": leave},
    {"label": "T", "name": "show_python_environment", "description": "Shows names.", "parameters": {}, "execute": show},
]`,
};
const here = import.meta.dirname;
const MCP_SERVER = path.join(here, '../runtime/fixtures/mcp-server.mjs');

let place: string;
const hosts: ChildProcess[] = [];

beforeAll(() => {
  place = realpathSync(mkdtempSync(path.join(tmpdir(), 'switchboard-orphans-')));
  mkdirSync(path.join(place, 'workspace'));
  const left = `import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs';
    writeFileSync('${place}/left-by-server', String(spawn('sleep', ['603'], { detached: true, stdio: 'ignore' }).pid));`;
  writeFileSync(path.join(place, 'leaves.mjs'), left);
  const server = { command: process.execPath, args: ['--import', path.join(place, 'leaves.mjs'), MCP_SERVER] };
  for (const [name, text] of Object.entries({ ...FILES, 'server/mcp.json': JSON.stringify(server) })) {
    const file = path.join(place, 'extensions', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
});

afterAll(() => {
  for (const host of hosts) host.kill('SIGKILL');
  rmSync(place, { recursive: true });
});

/** A host in a separate process, so that it can be killed; it prints the answer of each tool. */
async function runHost(tools: readonly string[]): Promise<{ host: ChildProcess; answers: readonly unknown[] }> {
  const program = `
    import { createHost } from ${JSON.stringify(path.join(here, 'create-host.ts'))};
    import { createLogger } from ${JSON.stringify(path.join(here, 'logger.ts'))};
    import { readConfig } from ${JSON.stringify(path.join(here, 'read-config.ts'))};
    const settings = { EXTENSIONS_DIR: 'extensions', DATA_DIR: 'data', WORKSPACE_ROOT: 'workspace', EXTENSION_ALLOW: 'leaver:run', WATCH: 'off' };
    const { config } = readConfig(settings, ${JSON.stringify(place)});
    const { host, reason } = await createHost(config, createLogger({ write() {}, readable: true }), { PATH: process.env.PATH });
    if (!host) throw new Error(reason);
    await host.ready;
    const answers = [];
    for (const tool of ${JSON.stringify(tools)}) {
      const started = await host.calls.start({ tool, arguments: {}, source: 'api', actor: { name: null } });
      const call = JSON.parse(await started.value.finished);
      answers.push(call.error ?? call.result);
    }
    console.log(JSON.stringify(answers));`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  hosts.push(host);
  const ended = once(host, 'exit').then(() => [null]);
  const [said] = await Promise.race([once(host.stdout, 'data'), ended]);
  if (said === null) throw new Error('The host exited');
  return { host, answers: JSON.parse(String(said)) };
}

async function allGone(pids: readonly unknown[]): Promise<void> {
  expect(pids.every((pid) => typeof pid === 'number' && pid > 1)).toBe(true);
  await vi.waitFor(() => expect(pids.filter((pid) => isAlive(Number(pid)))).toEqual([]), { timeout: 10_000, interval: 20 });
}

async function kill(host: ChildProcess): Promise<void> {
  host.kill('SIGKILL');
  await once(host, 'exit');
}

describe.runIf(process.platform === 'linux')('a process started by an extension', () => {
  const LEAVERS = ['leave_detached', 'leave_behind_shell', 'leave_python'];

  it('ends with the extension’s process, and when the host is killed, even outside its group, session and environment', async () => {
    const { host, answers } = await runHost(['leave_detached', 'end', ...LEAVERS, 'show_environment', 'show_python_environment']);
    await allGone([answers[0]]);
    expect(host.exitCode).toBeNull();
    const pids = [...answers.slice(2, 5), Number(readFileSync(path.join(place, 'left-by-server'), 'utf8'))];
    expect(pids.filter((pid) => !isAlive(Number(pid)))).toEqual([]);
    expect(JSON.stringify(answers.slice(5))).not.toContain('SWITCHBOARD');
    await kill(host);
    await allGone(pids);
  });

  it('ends at the next start of the host when no supervisor survived', async () => {
    const { host, answers } = await runHost(LEAVERS);
    const guards = childrenOf(host.pid ?? 0).filter(({ command }) => command.includes('switchboard-orphan-guard'));
    expect(guards).toHaveLength(1);
    host.kill('SIGSTOP'); // so that it starts no other guard
    for (const { pid } of guards) process.kill(pid, 'SIGKILL');
    await kill(host);
    expect(answers.filter((pid) => !isAlive(Number(pid)))).toEqual([]);
    const next = createOrphanGuard({ dataDir: path.join(place, 'data') });
    expect(await next.sweepEarlier()).toBeGreaterThanOrEqual(LEAVERS.length);
    await allGone(answers);
    await next.close();
  });
});
