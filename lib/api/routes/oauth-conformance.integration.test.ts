import { spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { consentDecidedSchema } from '#lib/contract/oauth.ts';
import { serveTeam, type TeamServer } from '#lib/testing/team-client.ts';

/** The official suite against the authorization server; this file simulates the person at the browser. */
const SUITE = path.resolve(import.meta.dirname, '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
let server: TeamServer;
beforeAll(async () => {
  server = await serveTeam({});
});
afterAll(() => server.close());

it.each(['2025-11-25', '2026-07-28'])('passes the official conformance scenarios of an authorization server for %s', async (version) => {
  const port = await freePort();
  const registered = await server.ask('/oauth/register', { body: { redirect_uris: [`http://127.0.0.1:${port}/callback`] } });
  const { client_id: id } = z.object({ client_id: z.string() }).parse(await registered.json());
  const { output, code } = await runSuite([
    `--url=${server.url}`,
    `--client-id=${id}`,
    `--resource=${server.url}/mcp`,
    `--port=${port}`,
    `--spec-version=${version}`,
  ]);
  expect(output).toMatch(/authorization-server-metadata-endpoint/);
  expect(output).toMatch(/authorization-code-grant/);
  expect([code, output.match(/(\d+) passed, (\d+) failed/)?.[2] ?? '0', output]).toEqual([
    0,
    '0',
    expect.not.stringMatching(/FAILURE|SKIPPED/),
  ]);
});

async function runSuite(args: readonly string[]): Promise<{ readonly output: string; readonly code: number | null }> {
  const suite = spawn(process.execPath, [SUITE, 'authorization', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let isOpened = false;
  const note = (chunk: Buffer): void => {
    output += chunk.toString('utf8');
    const address = /(http:\/\/[^\s"']*\/oauth\/authorize\?[^\s"']*)[\s"']/.exec(output)?.[1];
    // The callback server is ready shortly after its address is printed.
    if (address === undefined || isOpened || !output.includes('Callback server started')) return;
    isOpened = true;
    allow(new URL(address)).catch(() => suite.kill());
  };
  suite.stdout.on('data', note);
  suite.stderr.on('data', note);
  const code = await new Promise<number | null>((resolve) => void suite.on('close', resolve));
  return { output, code };
}

async function allow(address: URL): Promise<void> {
  const { cookie } = server.team.operator;
  const body = { request: Object.fromEntries(address.searchParams), allow: true, role: 'operator' };
  const decided = await server.ask('/api/v1/oauth/consent', { cookie, body });
  await fetch(consentDecidedSchema.parse(await decided.json()).redirect_to);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => void probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => void probe.close(() => resolve()));
  return port;
}
