import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneTool, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';

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
