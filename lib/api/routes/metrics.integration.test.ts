import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LivingHost, oneTool, startHost } from '#lib/testing/living-host.ts';
import { type ServedHost, serveHost } from '#lib/testing/serve-host.ts';

let living: LivingHost;
let served: ServedHost;
beforeAll(async () => {
  living = await startHost({
    'answers/extension.ts': oneTool('get_answer', 'yes'),
    'broken/extension.ts': 'export const TOOL = {',
    'example/extension.ts': oneTool('show_example', 'no'),
  });
  served = await serveHost(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

const NAME = String.raw`[a-zA-Z_:][a-zA-Z0-9_:]*`;
const LINE = new RegExp(
  String.raw`^(?<series>${NAME}(?:\{${NAME}="(?:[^"\\\n]|\\[\\"n])*"(?:,${NAME}="(?:[^"\\\n]|\\[\\"n])*")*\})?) (?<value>[-+0-9.eE]+|NaN|[+-]Inf)$`,
);

/** Every series with its value; a line that Prometheus cannot parse fails the test. */
async function scrape(): Promise<Map<string, number>> {
  const answer = await fetch(`${served.url}/metrics`);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const series = new Map<string, number>();
  const text = await answer.text();
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.trimEnd().split('\n')) {
    if (line === '' || /^# (HELP|TYPE) /.test(line)) continue;
    const { series: name = '', value } = LINE.exec(line)?.groups ?? {};
    expect([line, name !== '']).toEqual([line, true]);
    expect([name, series.has(name)]).toEqual([name, false]);
    series.set(name, Number(value));
  }
  return series;
}

const JSON_BODY = { 'content-type': 'application/json' };
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const COUNT = 'switchboard_http_request_duration_seconds_count';

/** Numbers of measured requests by their labels. */
async function requestsMeasured(): Promise<Record<string, number>> {
  const found = [...(await scrape())].filter(([series]) => series.startsWith(COUNT));
  return Object.fromEntries(found.map(([series, count]) => [series.slice(COUNT.length), count]));
}

describe('GET /metrics', () => {
  it('counts calls by tool, status and source, with their durations', async () => {
    await living.call('get_answer');
    await living.call('get_answer', { wrong: 1 });
    const series = await scrape();
    expect(series.get('switchboard_calls_total{tool="get_answer",status="succeeded",source="api"}')).toBe(1);
    expect(series.get('switchboard_calls_total{tool="get_answer",status="failed",source="api"}')).toBe(1);
    expect(series.get('switchboard_call_duration_seconds_count{tool="get_answer"}')).toBe(2);
    expect(series.get('switchboard_call_duration_seconds_bucket{le="+Inf",tool="get_answer"}')).toBe(2);
    expect(series.get('switchboard_calls_running')).toBe(0);
    expect(series.get('switchboard_calls_waiting')).toBe(0);
  });

  it('reports extensions, tools, failures and processes', async () => {
    const series = await scrape();
    expect(series.get('switchboard_extensions{state="ready"}')).toBe(1);
    expect(series.get('switchboard_extensions{state="failed"}')).toBe(1);
    expect(series.get('switchboard_extensions{state="excluded"}')).toBe(1);
    expect(series.get('switchboard_tools{available="true"}')).toBe(1);
    expect(series.get('switchboard_failures{status="open"}')).toBe(1);
    expect(series.get('switchboard_extension_loads_total{outcome="loaded"}')).toBe(1);
    expect(series.get('switchboard_extension_loads_total{outcome="failed"}')).toBe(1);
    expect(series.get('switchboard_extension_processes')).toBe(1);
    expect(series.get('switchboard_extension_restarts_total{extension="answers"}')).toBe(0);
    expect(series.get('switchboard_extension_memory_bytes{extension="answers"}') ?? 0).toBeGreaterThan(
      process.platform === 'linux' ? 1e6 : -1,
    );
    expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  it('counts event readers, and measures the event loop from the first read on', async () => {
    const leaving = new AbortController();
    await fetch(`${served.url}/api/v1/events`, { signal: leaving.signal });
    expect((await scrape()).get('switchboard_event_clients')).toBe(1);
    leaving.abort();
    await expect.poll(async () => (await scrape()).get('switchboard_event_clients')).toBe(0);
    await expect.poll(async () => (await scrape()).has('switchboard_event_loop_lag_seconds{quantile="0.99"}')).toBe(true);
  });

  it('measures requests by method, route pattern and status', async () => {
    const before = await requestsMeasured();
    await fetch(`${served.url}/api/v1/tools/get_answer`);
    await fetch(`${served.url}/api/v1/tools/get_answer`);
    await fetch(`${served.url}/api/v1/tools/get_answer`, { method: 'HEAD' });
    await fetch(`${served.url}/api/v1/tools/my_secret_name`);
    await fetch(`${served.url}/api/v1/tools/get_answer/call`, { method: 'POST', body: '{', headers: JSON_BODY });
    await fetch(`${served.url}/mcp`, {
      method: 'POST',
      body: PING,
      headers: { ...JSON_BODY, accept: 'application/json, text/event-stream' },
    });
    await fetch(`${served.url}/mcp/my_secret_name`, { method: 'POST', body: PING, headers: JSON_BODY });
    await fetch(`${served.url}/api/v1/my_secret_name`);
    await fetch(`${served.url}/api/v1/tools`, { method: 'PROPFIND' });
    await fetch(`${served.url}/api/v1/tools`, { headers: { 'x-original-url': '/my_secret_name' } });
    await fetch(`${served.url}/my_secret_name`);
    await fetch(`${served.url}/_next/static/my_secret_name.js`);
    const expected = {
      '{method="GET",route="/api/v1/tools/:name",status="200"}': 2,
      '{method="HEAD",route="/api/v1/tools/:name",status="200"}': 1,
      '{method="GET",route="/api/v1/tools/:name",status="404"}': 1,
      '{method="POST",route="/api/v1/tools/:name/call",status="400"}': 1,
      '{method="POST",route="/mcp",status="200"}': 1,
      '{method="POST",route="/mcp/:toolset",status="404"}': 1,
      '{method="GET",route="none",status="404"}': 1,
      '{method="other",route="none",status="405"}': 1,
      '{method="GET",route="none",status="403"}': 1,
      '{method="GET",route="page",status="500"}': 1,
      '{method="GET",route="asset",status="500"}': 1,
    };
    const added = async () => {
      const found = Object.entries(await requestsMeasured()).map(([labels, count]) => [labels, count - (before[labels] ?? 0)] as const);
      return Object.fromEntries(found.filter(([labels, count]) => count > 0 && !labels.includes('route="/metrics"')));
    };
    await expect.poll(added).toEqual(expected);
    expect(await (await fetch(`${served.url}/metrics`)).text()).not.toContain('my_secret_name');
    expect(living.log.join('')).not.toContain('A request was answered');
  });

  it('measures an event stream when it begins', async () => {
    const labels = '{method="GET",route="/api/v1/events",status="200"}';
    const begun = (await requestsMeasured())[labels] ?? 0;
    const leaving = new AbortController();
    await fetch(`${served.url}/api/v1/events`, { signal: leaving.signal });
    expect((await requestsMeasured())[labels]).toBe(begun + 1);
    leaving.abort();
    await expect.poll(async () => (await scrape()).get('switchboard_event_clients')).toBe(0);
    expect((await requestsMeasured())[labels]).toBe(begun + 1);
  });

  it('keeps counting ended processes across restarts', async () => {
    await living.save({ 'ending/extension.ts': oneTool('end_all', 'never').replace('return', 'process.exit(1); return') });
    await living.reload();
    const restarts = async () => (await scrape()).get('switchboard_extension_restarts_total{extension="ending"}');
    expect(await restarts()).toBe(0);
    expect(await living.call('end_all')).toMatchObject({ status: 'failed', error: { kind: 'extension_crashed' } });
    await expect.poll(restarts).toBe(1);
    await living.host.extensions.restart('ending', { name: null });
    expect(await restarts()).toBe(1);
    await living.call('end_all');
    await expect.poll(restarts).toBe(2);
  });

  it('requires authorization', async () => {
    expect((await fetch(`${served.url}/metrics`, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
    expect((await fetch(`${served.url}/metrics`, { method: 'POST' })).status).toBe(405);
    const head = await fetch(`${served.url}/metrics`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

it('logs each request at level debug, without path, query and body', async () => {
  const debugging = await startHost({}, { logLevel: 'debug' });
  const server = await serveHost(debugging.host);
  try {
    await fetch(`${server.url}/api/v1/calls?tool=my_secret_name`);
    await fetch(`${server.url}/api/v1/my_secret_name`);
    const lines = debugging.log.filter((line) => line.includes('A request was answered'));
    expect(lines).toEqual([
      expect.stringMatching(
        / debug A request was answered method=GET route=\/api\/v1\/calls status=200 duration_ms=[\d.]+ principal=local\n$/,
      ),
      expect.stringMatching(/ debug A request was answered method=GET route=none status=404 duration_ms=[\d.]+\n$/),
    ]);
  } finally {
    await server.close();
    await debugging.remove();
  }
});
