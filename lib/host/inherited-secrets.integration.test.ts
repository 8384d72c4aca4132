import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { descendantsOf } from '#lib/testing/child-processes.ts';
import { afterAll, describe, expect, it } from 'vitest';

/** Secrets passed to a server, and what its child processes can read of them. */
const SECRET = 'not-for-any-child-5f1c';
const SETTINGS = {
  EXTENSIONS_ADMIN_TOKEN: `${SECRET}-admin`,
  AUTH_SECRET: `${SECRET}-auth`,
  TELEGRAM_BOT_TOKEN: `${SECRET}-bot`,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${SECRET}-headers`,
  DATABASE_URL: `postgres://${SECRET}`,
  SOME_API_KEY: `${SECRET}-of-the-shell`,
};
const here = import.meta.dirname;
const place = realpathSync(mkdtempSync(path.join(tmpdir(), 'inherited-secrets-')));
const tool = (name: string): string => `{ label: 'T', name: '${name}', description: 'Answers.', parameters: {}, execute: () => 1 }`;
const FILES: Readonly<Record<string, string>> = {
  'extensions/plain/extension.ts': `export const TOOL = ${tool('plain')};`,
  'extensions/runner/extension.ts': `export const TOOL = ${tool('runner')};`,
  'extensions/serpent/extension.py': `
TOOL = {"label": "T", "name": "serpent", "description": "Answers.", "parameters": {}, "execute": lambda: 1}`,
  'extensions/server/mcp.json': JSON.stringify({
    command: process.execPath,
    args: [path.join(here, '../runtime/fixtures/mcp-server.mjs')],
  }),
  // Each start of the interpreter writes what it received, however soon it ends.
  python: `#!/bin/sh\nenv > "${place}/seen/$$"\nexec python3 "$@"\n`,
};

afterAll(() => rmSync(place, { recursive: true }));

describe.runIf(process.platform === 'linux')('a process that the host starts', () => {
  it('has no secret of the host in its environment, including the bundler and probed interpreters', async () => {
    for (const folder of ['seen', 'workspace']) mkdirSync(path.join(place, folder));
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(path.dirname(path.join(place, name)), { recursive: true });
      writeFileSync(path.join(place, name), text);
    }
    chmodSync(path.join(place, 'python'), 0o755);
    const program = `
      import { createHost } from ${JSON.stringify(path.join(here, 'create-host.ts'))};
      import { createLogger } from ${JSON.stringify(path.join(here, 'logger.ts'))};
      import { readConfig } from ${JSON.stringify(path.join(here, 'read-config.ts'))};
      const settings = { EXTENSIONS_DIR: 'extensions', DATA_DIR: 'data', WORKSPACE_ROOT: 'workspace', EXTENSION_ALLOW: 'runner:run',
        PYTHON: ${JSON.stringify(path.join(place, 'python'))}, WATCH: 'off', EXTENSION_ENV: 'NONE', EXTENSIONS_ADMIN_TOKEN: process.env.EXTENSIONS_ADMIN_TOKEN };
      const { config } = readConfig(settings, ${JSON.stringify(place)});
      const { host, reason } = await createHost(config, createLogger({ write() {}, readable: true }));
      if (!host) throw new Error(reason);
      await host.ready;
      process.stdin.once('data', () => host.close().then(() => process.exit(0)));
      console.log(JSON.stringify(host.extensions.list().extensions.map(({ id, state }) => [id, state])));`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_ENV: 'test', ...SETTINGS },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const [said] = await once(host.stdout, 'data');
      expect(JSON.parse(String(said))).toEqual(['plain', 'runner', 'serpent', 'server'].map((id) => [id, 'ready']));
      const all = descendantsOf(host.pid ?? 0);
      for (const part of ['esbuild', 'switchboard-orphan-guard', '/child-', 'main.py', '/server-', 'mcp-server.mjs', '/guard-'])
        expect(all.map(({ command }) => command)).toContainEqual(expect.stringContaining(part));
      const readable = all.flatMap(({ pid, command }) =>
        /\bps\b/.test(command) ? [] : [[command, readFileSync(`/proc/${pid}/environ`, 'utf8')]],
      );
      expect(readable.filter(([, environment]) => environment?.includes(SECRET)).map(([command]) => command)).toEqual([]);
      const seen = readdirSync(path.join(place, 'seen')).map((name) => readFileSync(path.join(place, 'seen', name), 'utf8'));
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.filter((environment) => environment.includes(SECRET))).toEqual([]);
      host.stdin.write('stop');
      await once(host, 'exit');
    } finally {
      host.kill('SIGKILL');
    }
  });
});
