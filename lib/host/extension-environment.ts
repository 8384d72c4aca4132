import path from 'node:path';
import { parseEnv } from 'node:util';
import { withoutMark } from '#lib/contract/byte-order-mark.ts';
import { readRegularFile } from '#lib/loader/regular-file.ts';
import { SOURCE_BYTES_MOST } from '#lib/loader/source-reader.ts';

/**
 * An extension's environment: a few common variables, those named in EXTENSION_ENV, and the `.env` in its own folder.
 * Never the host's own variables, whatever EXTENSION_ENV says: they contain its secrets and settings.
 */
const ALWAYS = new Set(['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR']);
const ALWAYS_PREFIX = 'LC_';
/**
 * Everything that docs/operating.md lists (a test checks this), planned names, and the variables of the command line.
 */
const HOST_OWN = new Set([
  'PORT',
  'HOST',
  'DATA_DIR',
  'WORKSPACE_ROOT',
  'KEEP_LAST_GOOD',
  'READ_ONLY_EXTENSIONS',
  'ALLOWED_HOSTS',
  'ALLOWED_ORIGINS',
  'WATCH',
  'CALL_TIMEOUT_MS',
  'LOAD_TIMEOUT_MS',
  'MAX_RESULT_BYTES',
  'CALLS_KEPT',
  'CALLS_KEPT_DAYS',
  'SNAPSHOTS_KEPT',
  'SNAPSHOTS_KEPT_DAYS',
  'REVISIONS_KEPT',
  'REVISIONS_KEPT_DAYS',
  'FAILURES_KEPT_DAYS',
  'MESSAGES_KEPT',
  'MESSAGES_KEPT_DAYS',
  'AUTH',
  'AUTH_SECRET',
  'SECRETS_KEY',
  'SWITCHBOARD_TOKEN',
  'TRUSTED_PROXIES',
  'PYTHON',
  'PUBLIC_URL',
  'MCP_AUTHORING',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'CONCURRENT_REQUESTS',
  'DRAIN_SECONDS',
  'INSTANCE_ID',
  'DURABILITY',
]);
const HOST_OWN_PREFIXES = [
  'EXTENSION_',
  'EXTENSIONS_',
  'TELEGRAM_',
  'DATABASE_',
  'OTEL_',
  'OIDC_',
  'RATE_LIMIT_',
  'NODE_',
  'NEXT_',
  'npm_',
  '__NEXT',
  'TURBOPACK',
];

/** Settings whose values are, or may contain, a secret. */
const HOST_SECRET =
  /^(?:EXTENSIONS_ADMIN_TOKEN|AUTH_SECRET|SECRETS_KEY|SWITCHBOARD_TOKEN|DATABASE_URL|TELEGRAM_\w+|OIDC_\w+|OTEL_EXPORTER_OTLP_\w*HEADERS)$/;

type Environment = Readonly<Record<string, string | undefined>>;

/** @param names EXTENSION_ENV: names, `PREFIX_*`, or `*` */
export function commonEnvironment(environment: Environment, names: readonly string[]): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    const isAlways = ALWAYS.has(name) || name.startsWith(ALWAYS_PREFIX);
    if (isAlways || (!isHostOwn(name) && names.some((pattern) => matches(pattern, name)))) chosen[name] = value;
  }
  return chosen;
}

/** The common environment, overridden by the folder's own `.env`. */
export function extensionEnvironment(common: Readonly<Record<string, string>>, folder: string): Record<string, string> {
  return { ...common, ...ownEnvironment(folder) };
}

/** The lines of the `.env` in this folder. */
export function ownEnvironment(folder: string): Record<string, string> {
  return readEnvFile(path.join(folder, '.env'));
}

/** For programs other than extensions: all variables except the host's own. */
export function withoutHostSecrets(environment: Environment): Record<string, string> {
  const kept = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(kept.filter(([name]) => !HOST_SECRET.test(name)));
}

export interface VisibleVariable {
  readonly name: string;
  readonly from: 'always' | 'EXTENSION_ENV' | '.env';
}

/** Names of the variables an extension in this folder sees, with the reason; sorted. */
export function visibleVariables(common: Readonly<Record<string, string>>, folder: string): readonly VisibleVariable[] {
  const own = ownEnvironment(folder);
  return Object.keys({ ...common, ...own })
    .toSorted()
    .map((name) => ({
      name,
      from: name in own ? '.env' : ALWAYS.has(name) || name.startsWith(ALWAYS_PREFIX) ? 'always' : 'EXTENSION_ENV',
    }));
}

function isHostOwn(name: string): boolean {
  return HOST_OWN.has(name) || HOST_OWN_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

function readEnvFile(file: string): Record<string, string> {
  try {
    const read = readRegularFile(file, SOURCE_BYTES_MOST);
    if (!read.ok) return {};
    const entries = Object.entries(parseEnv(withoutMark(read.bytes.toString('utf8'))));
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
  } catch {
    return {};
  }
}
