import { expect, test } from 'vitest';
import { commonEnvironment } from './extension-environment.ts';
import { readTracing } from './read-tracing.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

function settingsOf(env: Record<string, string>) {
  const read = readTracing({ ...ENDPOINT, ...env });
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

test('with only an endpoint, all traces go to a path below it', () => {
  expect(settingsOf({})).toEqual({
    endpoint: 'http://collector:4318/v1/traces',
    headers: {},
    timeoutMs: 10_000,
    resource: { 'service.name': 'switchboard' },
    sampling: { follows: true, share: 1 },
    queueSize: 8_192,
    delayMs: 5_000,
  });
});

test.each([
  ['no endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ['OTEL_SDK_DISABLED', { OTEL_SDK_DISABLED: 'true' }],
  ['OTEL_TRACES_EXPORTER', { OTEL_TRACES_EXPORTER: 'none' }],
  ['no endpoint, and a value that would not fit', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
])('tracing is off: %s', (_, env) => {
  expect(settingsOf(env)).toBeNull();
});

test('accepts the standard variables', () => {
  const env = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/otlp',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, x = y',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x=z=1',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=prod,service.name=other',
    OTEL_SERVICE_NAME: 'board',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_BSP_MAX_QUEUE_SIZE: '10',
  };
  expect(settingsOf(env)).toMatchObject({
    endpoint: 'https://traces.example.com/otlp',
    headers: { 'api-key': 'a b', x: 'z=1' },
    resource: { 'deployment.environment': 'prod', 'service.name': 'board' },
    sampling: { follows: false, share: 0.25 },
    queueSize: 10,
  });
});

test.each([
  ['always_off', { follows: false, share: 0 }],
  ['parentbased_always_off', { follows: true, share: 0 }],
  ['parentbased_traceidratio', { follows: true, share: 1 }],
])('supports the sampler %s', (sampler, sampling) => {
  expect(settingsOf({ OTEL_TRACES_SAMPLER: sampler })?.sampling).toEqual(sampling);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4318"; accepted: an address/],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /^OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; accepted: http\/json\.$/],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '0' }, /^OTEL_EXPORTER_OTLP_TIMEOUT is "0"; accepted: a whole number from 1/],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /^OTEL_TRACES_SAMPLER is "jaeger_remote"; accepted: parentbased_always_on, /],
  [{ OTEL_TRACES_SAMPLER_ARG: '2' }, /^OTEL_TRACES_SAMPLER_ARG is "2"; accepted: a number from 0 to 1/],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'nonsense' }, /^OTEL_RESOURCE_ATTRIBUTES is invalid; accepted: name=value pairs/],
])('refuses %j in one line', (env, reason) => {
  const read = readTracing({ ...ENDPOINT, ...env });
  expect(read).toEqual({ ok: false, reason: expect.stringMatching(reason) });
});

test.each(['a=hush%', 'hush', 'x y=hush', 'x=hush%0d%0aevil: 1'])('does not repeat what may be a secret in headers: %s', (headers) => {
  const read = readTracing({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: headers });
  expect(read).toMatchObject({ ok: false, reason: expect.stringMatching(/^OTEL_EXPORTER_OTLP_HEADERS /) });
  expect(JSON.stringify(read)).not.toContain('hush');
  const inAddress = readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:hush@collector' });
  expect(inAddress.ok).toBe(false);
  expect(JSON.stringify(inAddress)).not.toContain('hush');
});

test('no extension sees how this server reaches its collector', () => {
  const seen = commonEnvironment({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'x=hush', MINE: '1' }, ['*', 'OTEL_EXPORTER_OTLP_HEADERS']);
  expect(seen).toEqual({ MINE: '1' });
});
