import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { readOpenApi } from '#lib/testing/openapi-client.ts';
import { startTestServer } from './harness/test-server.ts';
import type { TestServer } from './harness/test-server.ts';

/** Clients without a browser against the production server: generated clients, command line, Prometheus. */

const PROGRAM = path.join(import.meta.dirname, '..', 'bin', 'switchboard.mjs');

let server: TestServer;
test.beforeAll(async () => {
  server = await startTestServer({ shipped: ['math', 'weather'], fixtures: [], env: {} });
});
test.afterAll(() => server.remove());

function start(...args: string[]) {
  const env = { ...process.env, SWITCHBOARD_URL: server.address };
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ran = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ran.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ran.stderr += text));
  return { child, ran, closed: once(child, 'close') };
}

async function run(...args: string[]) {
  const { child, ran, closed } = start(...args);
  await closed;
  return { code: child.exitCode, ...ran };
}

test('a client generated from the OpenAPI document reads lists, calls tools and receives errors', async () => {
  const client = await readOpenApi(server.address);
  const called = await client.ask('call.tool.get_weather', { body: { arguments: { city: 'Oslo' } } });
  expect(called).toMatchObject({ status: 'succeeded', result: { city: 'Oslo' } });
  for (const id of ['listTools', 'listExtensions', 'listCalls', 'listSnapshots', 'listFailures', 'listChannels', 'getHealth'])
    expect(await client.ask(id)).toBeTruthy();
  expect(await client.ask('getExtension', { path: 'weather' })).toMatchObject({ id: 'weather' });
  expect(await client.ask('reloadExtensions', { body: {} })).toMatchObject({ failed_extensions: [] });
  expect(await client.ask('getTool', { path: 'nothing' })).toMatchObject({ code: 'tool_not_found' });
  expect(await client.ask('listCalls', { query: { limit: '1000' } })).toMatchObject({ code: 'query_invalid' });
});

test('the command line calls tools, follows events and exports calls', async () => {
  const tail = start('tail', '--types', 'call.finished', '--tool', 'get_weather');
  await expect.poll(async () => (await fetch(`${server.address}/metrics`)).text()).toMatch(/^switchboard_event_clients 1$/m);
  const called = await run('call', 'get_weather', 'city=Bergen', 'days=2', '--json');
  expect({ code: called.code, stderr: called.stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(called.stdout)).toMatchObject({ source: 'cli', arguments: { city: 'Bergen', days: 2 } });
  await expect.poll(() => tail.ran.stdout).toMatch(/call\.finished {5}get_weather {2}succeeded/);
  tail.child.kill('SIGINT');
  await tail.closed;
  expect({ code: tail.child.exitCode, stderr: tail.ran.stderr }).toEqual({ code: 0, stderr: '' });
  const exported = await run('export', '--source', 'cli', '--csv');
  expect(exported.stdout.split('\r\n')[1]).toContain(',get_weather,weather,1,');
});

test('a call runs once per idempotency key, and is counted once', async () => {
  const send = () =>
    fetch(`${server.address}/api/v1/tools/convert_units/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'only-once' },
      body: '{"arguments": {"value": 3, "from": "km", "to": "m"}}',
    });
  const [first, again] = [await send(), await send()];
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await again.json()).toEqual(await first.json());
  const metrics = await (await fetch(`${server.address}/metrics`)).text();
  expect(metrics).toMatch(/^switchboard_call_duration_seconds_count\{tool="convert_units"\} 1$/m);
});
