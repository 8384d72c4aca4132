import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLIENT_FILES } from '#lib/servers/client-files-for-tests.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { startHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import { runCommand } from './command-for-tests.ts';
import { importCommand } from './import.ts';

let living: LivingHost;
let served: ServedHost;
let home = '';
beforeAll(async () => {
  living = await startHost({}, { adminToken: 'the-admin-token' });
  served = await serveHost(living.host);
  // The command gives an unknown server two seconds, and the first request loads modules.
  await fetch(`${served.url}/healthz`);
  home = mkdtempSync(path.join(tmpdir(), 'home-'));
  mkdirSync(path.join(home, '.cursor'));
  writeFileSync(path.join(home, '.cursor/mcp.json'), CLIENT_FILES.cursor);
  writeFileSync(path.join(home, 'config.toml'), CLIENT_FILES.codex);
});
afterAll(async () => {
  await served.close();
  await living.remove();
  rmSync(home, { recursive: true });
});

const run = (...args: string[]) =>
  runCommand(importCommand, [...args, '--url', served.url], { cwd: home, env: { HOME: home, EXTENSIONS_ADMIN_TOKEN: 'the-admin-token' } });

it('finds the file of a client, lists its servers, and changes nothing without --yes', async () => {
  const ran = await run('cursor');
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing was changed') });
  expect(ran.stdout).toContain('Cursor: 2 servers\n\nfigma\n  http://127.0.0.1:3845/mcp\n  secrets: FIGMA_X_FIGMA_TOKEN\n');
  expect(ran.stdout).toContain('warning: `envFile`');
  expect(ran.stdout).not.toContain('figd_');
  expect(living.host.secrets.list().secrets).toEqual([]);
});

it('adds the chosen servers of a file, whose format it recognises', async () => {
  const ran = await run('config.toml', '--only', 'figma', '--yes');
  expect(ran).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Codex: 1 server'),
    stderr: expect.stringContaining('Added to mcp.json'),
  });
  expect(JSON.parse(readFileSync(path.join(living.folder, 'extensions/mcp.json'), 'utf8'))).toMatchObject({
    mcpServers: { figma: { url: 'https://mcp.figma.com/mcp', disabled: true } },
  });
  const json = await run('config.toml', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ client: 'codex', servers: [{ name: 'context7' }, { name: 'figma-2', conflict: true }] });
});

it('reads a file that is larger than a request, since it sends only a part', async () => {
  const file = { ...JSON.parse(CLIENT_FILES['claude-code']), history: 'x'.repeat(2 * 1_048_576) };
  writeFileSync(path.join(home, '.claude.json'), JSON.stringify(file));
  const ran = await run('claude-code');
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Claude Code: 3 servers') });
});

it.each([
  [[], 2, 'Name one client or file'],
  [['nothing.json'], 3, 'does not exist'],
  [['windsurf'], 3, 'Windsurf has no configuration at'],
  [['config.toml', '--client', 'emacs'], 2, 'not a known client'],
  [['config.toml', '--client', 'cursor'], 3, 'Invalid JSON at line 1, column 1.'],
  [['config.toml', '--only', 'other'], 2, 'There is no server other'],
])('reports the error in %j', async (args, code, words) => {
  expect(await run(...args)).toMatchObject({ code, stderr: expect.stringContaining(words) });
});
