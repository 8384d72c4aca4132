import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { META, MODERN_VERSION } from '#lib/mcp/protocol.ts';
import { type OpenTracing, openTracing } from '#lib/tracing/open-tracing.ts';
import { type LivingHost, startHost } from '#lib/testing/living-host.ts';
import { type ServedHost, serveHost } from '#lib/testing/serve-host.ts';
import { type CollectedSpan, type SpanCollector, startSpanCollector } from '#lib/testing/span-collector.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = `00-${TRACE}-00f067aa0ba902b7-01`;
const TELLING = `export const TOOL = {
  label: 'Test', name: 'tell_trace', description: 'Returns its trace.', parameters: { password: { type: 'string' } },
  execute: (args, ctx) => ({ traceparent: ctx.traceparent }),
};`;
const THROWING = `export const TOOL = {
  label: 'Test', name: 'throw_error', description: 'Throws.', parameters: {}, execute: () => { throw new Error('my secret message'); },
};`;
const IN_PYTHON = `async def trace(ctx):
    return {"traceparent": ctx.traceparent}

TOOL = {"label": "Test", "name": "tell_python", "description": "Returns its trace.", "parameters": {}, "execute": trace}
`;

/** A minimal MCP server; its tool returns the `_meta` of its request. */
const SERVER = `import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'meta', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'trace', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ _meta }) => ({ content: [{ type: 'text', text: JSON.stringify(_meta ?? null) }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const found = answers[method];
  const outcome = found === undefined ? { error: { code: -32601, message: 'no such method' } } : { result: found(params) };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
});`;

/** A busy machine is slow. */
const PATIENCE = { timeout: 20_000 };

let collector: SpanCollector;
let tracing: OpenTracing;
let living: LivingHost;
let served: ServedHost;
beforeAll(async () => {
  collector = await startSpanCollector();
  tracing = openTracing(
    {
      endpoint: `${collector.url}/v1/traces`,
      headers: { 'x-key': 'of the collector' },
      timeoutMs: 5_000,
      resource: { 'service.name': 'tested' },
      sampling: { follows: true, share: 1 },
      queueSize: 1_000,
      delayMs: 20,
    },
    '1.2.3',
    () => undefined,
  );
  living = await startHost(
    {
      'telling/extension.ts': TELLING,
      'python/extension.py': IN_PYTHON,
      'throwing/extension.ts': THROWING,
      'broken/extension.ts': 'export const TOOL = {',
      'meta/mcp.json': JSON.stringify({ command: 'node', args: ['server.mjs'] }),
      'meta/server.mjs': SERVER,
    },
    { logLevel: 'debug' },
    tracing.tracer,
  );
  served = await serveHost(living.host, 0, tracing.tracer);
});
afterAll(async () => {
  await served.close();
  await living.remove();
  await tracing.close(1_000);
  await collector.close();
});

function call(tool: string, args: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${served.url}/api/v1/tools/${tool}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ arguments: args }),
  });
}

/** Waits for a span. */
async function span(isIt: (one: CollectedSpan) => boolean): Promise<CollectedSpan> {
  await expect.poll(() => collector.spans.some(isIt), PATIENCE).toBe(true);
  const found = collector.spans.find(isIt);
  if (found === undefined) throw new Error('it was there a moment ago');
  return found;
}

describe('with a span collector', () => {
  it('a call is a trace: request, call, and execution in the process', async () => {
    const answer = await call('tell_trace', { password: 'hunter2' }, { traceparent: CALLER, tracestate: 'vendor=1' });
    const { id, result }: { id: string; result: { traceparent: string } } = JSON.parse(await answer.text());
    const request = await span(({ traceId, kind }) => traceId === TRACE && kind === 2);
    expect(request).toMatchObject({
      name: 'POST /api/v1/tools/:name/call',
      parentSpanId: '00f067aa0ba902b7',
      traceState: 'vendor=1',
      flags: 0x301,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/tools/:name/call',
        'url.path': '/api/v1/tools/tell_trace/call',
        'http.response.status_code': '200',
      },
      status: {},
    });
    const made = await span(({ name, traceId }) => name === 'call tell_trace' && traceId === TRACE);
    expect(made).toMatchObject({
      parentSpanId: request.spanId,
      kind: 1,
      attributes: {
        'switchboard.call.id': id,
        'switchboard.call.source': 'api',
        'switchboard.call.status': 'succeeded',
        'switchboard.tool': 'tell_trace',
        'switchboard.extension': 'telling',
        'switchboard.revision': '1',
      },
    });
    const run = await span(({ name, traceId }) => name === 'execute tell_trace' && traceId === TRACE);
    expect(run.parentSpanId).toBe(made.spanId);
    expect(result.traceparent).toBe(`00-${TRACE}-${run.spanId}-01`);
    for (const [inner, outer] of [
      [run, made],
      [made, request],
    ] as const) {
      expect(inner.startTimeUnixNano >= outer.startTimeUnixNano).toBe(true);
      expect(inner.endTimeUnixNano <= outer.endTimeUnixNano).toBe(true);
    }
    const line = living.log.find((one) => one.includes('A call ended') && one.includes(id));
    expect(line).toMatch(new RegExp(`extension=telling .*status=succeeded .*trace_id=${TRACE}`));
    expect(line).not.toContain('hunter2');
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'tested', 'service.version': '1.2.3' });
    expect(collector.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 'of the collector' } });
  });

  it('a tool in Python receives its trace too', async () => {
    const answer = await call('tell_python');
    const { result }: { result: { traceparent: string } } = JSON.parse(await answer.text());
    const run = await span(({ name }) => name === 'execute tell_python');
    expect(result.traceparent).toBe(`00-${run.traceId}-${run.spanId}-01`);
  });

  it('an MCP server receives the trace in the metadata', async () => {
    const { result }: { result: { content: readonly { text: string }[] } } = JSON.parse(await (await call('meta__trace')).text());
    const run = await span(({ name }) => name === 'execute meta__trace');
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({ traceparent: `00-${run.traceId}-${run.spanId}-01` });
  });

  it('a failed call has its error kind, and no message', async () => {
    await call('throw_error');
    const made = await span(({ name }) => name === 'call throw_error');
    expect(made).toMatchObject({
      attributes: { 'switchboard.call.status': 'failed', 'error.type': 'execution_error' },
      status: { code: 2, message: 'execution_error' },
    });
    await span(({ name }) => name === 'execute throw_error');
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    await fetch(`${served.url}/mcp?token=in-the-query`, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
    await span(({ attributes }) => attributes['url.path'] === '/mcp');
    const sent = collector.requests.map(({ text }) => text).join();
    for (const secret of ['my secret message', 'hunter2', 'in-the-query', 'of the collector']) expect(sent).not.toContain(secret);
  });

  it('a call of an agent joins the trace in its message', async () => {
    const traceId = 'a'.repeat(32);
    const _meta = {
      [META.protocolVersion]: MODERN_VERSION,
      [META.clientCapabilities]: {},
      traceparent: `00-${traceId}-${'b'.repeat(16)}-01`,
      tracestate: 'vendor=2',
    };
    await fetch(`${served.url}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': MODERN_VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': 'tell_trace',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'tell_trace', arguments: {}, _meta } }),
    });
    const made = await span((one) => one.traceId === traceId && one.name === 'call tell_trace');
    expect(made).toMatchObject({ parentSpanId: 'b'.repeat(16), traceState: 'vendor=2', attributes: { 'switchboard.call.source': 'mcp' } });
  });

  it('a load is a span with its steps, and a reload is part of the trace of its request', async () => {
    const first = await span(({ name }) => name === 'load telling');
    expect(first.attributes).toMatchObject({
      'switchboard.cause': 'start',
      'switchboard.outcome': 'loaded',
      'switchboard.runtime': 'node',
    });
    for (const step of ['build', 'start', 'describe'])
      expect(await span(({ name, parentSpanId }) => name === step && parentSpanId === first.spanId)).toMatchObject({ status: {} });
    const broken = await span(({ name }) => name === 'load broken');
    expect(broken).toMatchObject({ attributes: { 'switchboard.outcome': 'failed', 'error.type': 'syntax_error' }, status: { code: 2 } });

    await fetch(`${served.url}/api/v1/extensions/reload`, { method: 'POST' });
    const request = await span(({ name }) => name === 'POST /api/v1/extensions/reload');
    expect(await span(({ name, traceId }) => name === 'load broken' && traceId === request.traceId)).toMatchObject({
      parentSpanId: request.spanId,
    });
  });

  it('a trace that the client does not sample is not collected, and health requests never are', async () => {
    const traceId = 'c'.repeat(32);
    await call('tell_trace', {}, { traceparent: `00-${traceId}-${'d'.repeat(16)}-00` });
    await fetch(`${served.url}/healthz`);
    await call('tell_trace', {}, { traceparent: `00-${'e'.repeat(32)}-${'d'.repeat(16)}-01` });
    await span((one) => one.traceId === 'e'.repeat(32) && one.kind === 2);
    expect(collector.spans.filter((one) => one.traceId === traceId || one.name.includes('health'))).toEqual([]);
  });

  it('the metrics count exported spans', async () => {
    const sent = async (): Promise<number> => {
      const text = await (await fetch(`${served.url}/metrics`)).text();
      expect(text).toContain('switchboard_spans_total{outcome="dropped"} 0');
      return Number(/^switchboard_spans_total\{outcome="sent"\} (\d+)$/m.exec(text)?.[1]);
    };
    await expect.poll(sent, PATIENCE).toBeGreaterThan(10);
  });
});
