import type { TracingSettings } from '#lib/tracing/open-tracing.ts';
import { errorPrefix, withoutPassword } from './read-config-lists.ts';

/**
 * The standard OpenTelemetry variables for traces over OTLP/HTTP in JSON. Tracing is off without an endpoint. Header
 * values are secrets: no message contains them.
 */
export type ReadTracing = { readonly ok: true; readonly value: TracingSettings | null } | { readonly ok: false; readonly reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

class BadTracing extends Error {}

const SAMPLERS = ['parentbased_always_on', 'always_on', 'always_off', 'traceidratio', 'parentbased_always_off', 'parentbased_traceidratio'];
const TRACES_PATH = '/v1/traces';
const NAMES = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_TRACES_EXPORTER',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_SDK_DISABLED',
];

/** Invalid values matter only with an endpoint: other programs read these variables too. */
export function readTracing(env: Environment): ReadTracing {
  const given = Object.fromEntries(NAMES.map((name) => [name, env[name]]));
  try {
    return { ok: true, value: read(given) };
  } catch (error) {
    if (error instanceof BadTracing) return { ok: false, reason: error.message };
    throw error;
  }
}

function read(env: Environment): TracingSettings | null {
  const whole = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (!whole && !base) return null;
  if (readWord(env, 'OTEL_SDK_DISABLED', ['false', 'true']) === 'true') return null;
  if (readWord(env, 'OTEL_TRACES_EXPORTER', ['otlp', 'none']) === 'none') return null;
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL' : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  readWord(env, protocol, ['http/json']);
  return {
    endpoint: whole
      ? readEndpoint('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', whole)
      : `${readEndpoint('OTEL_EXPORTER_OTLP_ENDPOINT', base ?? '').replace(/\/+$/, '')}${TRACES_PATH}`,
    headers: { ...readHeaders(env, 'OTEL_EXPORTER_OTLP_HEADERS'), ...readHeaders(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS') },
    timeoutMs: readNumber(env, 'OTEL_EXPORTER_OTLP_TIMEOUT', 10_000, 1, 600_000, 'milliseconds'),
    resource: {
      'service.name': 'switchboard',
      ...readPairs(env, 'OTEL_RESOURCE_ATTRIBUTES'),
      ...(env['OTEL_SERVICE_NAME'] ? { 'service.name': env['OTEL_SERVICE_NAME'] } : {}),
    },
    sampling: readSampling(env),
    queueSize: readNumber(env, 'OTEL_BSP_MAX_QUEUE_SIZE', 8_192, 1, 1_000_000, 'spans'),
    delayMs: readNumber(env, 'OTEL_BSP_SCHEDULE_DELAY', 5_000, 1, 3_600_000, 'milliseconds'),
  };
}

function readSampling(env: Environment): TracingSettings['sampling'] {
  const sampler = readWord(env, 'OTEL_TRACES_SAMPLER', SAMPLERS);
  const given = env['OTEL_TRACES_SAMPLER_ARG'] || '1';
  const ratio = /^(?:0|1|0?\.\d{1,12}|1\.0*|0\.\d{1,12})$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isNaN(ratio)) throw new BadTracing(`${errorPrefix('OTEL_TRACES_SAMPLER_ARG', given)} a number from 0 to 1, such as 0.1.`);
  const share = sampler.endsWith('always_on') ? 1 : sampler.endsWith('always_off') ? 0 : ratio;
  return { follows: sampler.startsWith('parentbased_'), share };
}

function readEndpoint(name: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '') return given;
  const shown = errorPrefix(name, withoutPassword(given));
  throw new BadTracing(`${shown} an address that begins with https:// or http://, without a name in it, such as http://127.0.0.1:4318.`);
}

function readWord(env: Environment, name: string, words: readonly string[]): string {
  const given = env[name];
  const [first = ''] = words;
  if (!given) return first;
  const word = words.find((known) => known === given.toLowerCase());
  if (word === undefined) throw new BadTracing(`${errorPrefix(name, given)} ${words.join(', ')}.`);
  return word;
}

function readNumber(env: Environment, name: string, fallback: number, least: number, most: number, note: string): number {
  const given = env[name];
  if (!given) return fallback;
  const value = /^\d{1,12}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new BadTracing(`${errorPrefix(name, given)} a whole number from ${least} to ${most} (${note}).`);
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** `api-key=secret,x=y`; an invalid entry is reported without its value. */
function readHeaders(env: Environment, name: string): Readonly<Record<string, string>> {
  const headers = readPairs(env, name);
  for (const [key, value] of Object.entries(headers))
    if (!HEADER_NAME.test(key) || !HEADER_VALUE.test(value))
      throw new BadTracing(
        `${name} contains an invalid header; accepted: name=value pairs, comma-separated, values percent-encoded where needed.`,
      );
  return headers;
}

function readPairs(env: Environment, name: string): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {};
  for (const part of (env[name] ?? '').split(',').filter((text) => text.trim() !== '')) {
    const [, key = '', raw = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(part) ?? [];
    const value = decoded(raw.trim());
    if (key === '' || value === null)
      throw new BadTracing(`${name} is invalid; accepted: name=value pairs, comma-separated, values percent-encoded where needed.`);
    Object.defineProperty(pairs, key, { value, enumerable: true });
  }
  return pairs;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
