import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { LIMITS } from '#lib/contract/limits.ts';
import { DEPENDENCY_SOURCES } from '#lib/dependencies/declaration.ts';
import { KEY_LEAST } from '#lib/secrets/sealer.ts';
import { makeFolder } from '#lib/store/make-folder.ts';
import type { DatabaseSettings, HostConfig, RequestRate } from './config.ts';
import {
  errorPrefix,
  readAllowedHosts,
  readAllowedOrigins,
  readEnvNames,
  readExcluded,
  readNetworks,
  readPermissions,
  withoutPassword,
} from './read-config-lists.ts';
import type { Kept } from './retention.ts';
import { readReach } from './read-team.ts';
import { readTracing } from './read-tracing.ts';

/**
 * The environment → configuration. The only reader of the environment: a wrong value must stop the start with one line
 * that names the variable, the value and the accepted values, and never open a server on an unintended address. An
 * empty value counts as not set, except for HOST (empty would mean every interface) and the two lists that may be
 * empty.
 */

export type ReadConfig = { readonly ok: true; readonly config: HostConfig } | { readonly ok: false; readonly reason: string };

export type Environment = Readonly<Record<string, string | undefined>>;

class BadValue extends Error {}

/** Creates EXTENSIONS_DIR and DATA_DIR when they are missing; apart from that it changes nothing. */
export function readConfig(env: Environment, cwd: string): ReadConfig {
  try {
    return { ok: true, config: read(env, cwd) };
  } catch (error) {
    if (error instanceof BadValue) return { ok: false, reason: error.message };
    throw error;
  }
}

function read(env: Environment, cwd: string): HostConfig {
  const { host, team } = unwrap(readReach(env));
  const port = readInteger(env, 'PORT', 3000, 0, 65_535, '0 takes any free port');
  const workspaceRoot = readFolder(env, 'WORKSPACE_ROOT', cwd, '.', 'existing');
  // Not resolved: a deployment may swap a link in its path, whose target is resolved later.
  const extensionsDir = resolve(cwd, env['EXTENSIONS_DIR'] || 'extensions');
  const realExtensionsDir = readFolder(env, 'EXTENSIONS_DIR', cwd, 'extensions', 'readable');
  const dataDir = readFolder(env, 'DATA_DIR', cwd, 'data', 'writable');
  if (contains(realExtensionsDir, dataDir)) {
    throw new BadValue(
      `DATA_DIR is "${dataDir}", which lies inside EXTENSIONS_DIR ("${extensionsDir}"); accepted is a folder outside of it, because its files would be loaded as extensions.`,
    );
  }
  return {
    port,
    host,
    extensionsDir,
    dataDir,
    workspaceRoot,
    team,
    trustedProxies: unwrap(readNetworks('TRUSTED_PROXIES', env['TRUSTED_PROXIES'])),
    adminToken: readAdminToken(env),
    secretsKeys: readSecretsKeys(env),
    excludedExtensions: new Set([
      'example',
      ...unwrap(readExcluded('EXTENSION_EXCLUDED_EXTENSIONS', env['EXTENSION_EXCLUDED_EXTENSIONS'])),
    ]),
    excludedTools: new Set(unwrap(readExcluded('EXTENSION_EXCLUDED_TOOLS', env['EXTENSION_EXCLUDED_TOOLS']))),
    keepLastGood: readBoolean(env, 'KEEP_LAST_GOOD', true),
    readOnlyExtensions: readBoolean(env, 'READ_ONLY_EXTENSIONS', false),
    mcpAuthoring: readBoolean(env, 'MCP_AUTHORING', false),
    extensionEnv: unwrap(readEnvNames(env['EXTENSION_ENV'], team !== null)),
    dependencies: readWord(env, 'EXTENSION_DEPENDENCIES', team === null ? ['ask', 'auto', 'off'] : ['off', 'ask', 'auto']),
    dependencySources: readWord(env, 'EXTENSION_DEPENDENCY_SOURCES', DEPENDENCY_SOURCES),
    extensionAllow: unwrap(readPermissions(env['EXTENSION_ALLOW'])),
    allowedHosts: unwrap(readAllowedHosts(env['ALLOWED_HOSTS'])),
    allowedOrigins: unwrap(readAllowedOrigins(env['ALLOWED_ORIGINS'])),
    watch: readWord(env, 'WATCH', ['native', 'polling', 'off']),
    callTimeoutMs: readInteger(env, 'CALL_TIMEOUT_MS', LIMITS.callTimeoutMs, 1, LIMITS.callTimeoutMostMs, 'milliseconds'),
    loadTimeoutMs: readInteger(env, 'LOAD_TIMEOUT_MS', LIMITS.loadTimeoutMs, 100, 600_000, 'milliseconds'),
    maxResultBytes: readInteger(env, 'MAX_RESULT_BYTES', LIMITS.resultBytes, 1, 268_435_456, 'bytes'),
    durability: readWord(env, 'DURABILITY', ['process', 'power']),
    database: readDatabase(env),
    instanceId: readInstanceId(env),
    drainSeconds: readInteger(env, 'DRAIN_SECONDS', 3, 0, 300, '0 to close the port at once'),
    extensionMemoryMb: readInteger(env, 'EXTENSION_MEMORY_MB', LIMITS.extensionMemoryMb, 32, 1_048_576, 'MiB'),
    extensionIdleMs:
      1_000 * readInteger(env, 'EXTENSION_IDLE_SECONDS', LIMITS.extensionIdleSeconds, 0, 2_000_000, 'seconds; 0 keeps idle processes'),
    kept: {
      calls: readKept(env, 'CALLS', LIMITS.callsKept, 1, 'calls'),
      snapshots: readKept(env, 'SNAPSHOTS', LIMITS.snapshotsKept, 1, 'versions of the set of extensions'),
      revisions: readKept(env, 'REVISIONS', LIMITS.revisionsOnRecord, LIMITS.revisionsKept, 'revisions of each extension'),
      failures: { newest: LIMITS.failureRecordsKept, days: readDays(env, 'FAILURES') },
      messages: readKept(env, 'MESSAGES', LIMITS.messagesKept, 1, 'messages of each channel'),
    },
    python: readProgram(env, 'PYTHON', 'python3', cwd),
    telegramToken: readTelegramToken(env),
    telegramApiRoot: readAddress(env, 'TELEGRAM_API_ROOT', 'https://api.telegram.org'),
    logLevel: readWord(env, 'LOG_LEVEL', ['info', 'debug', 'warn', 'error']),
    logFormat: readWord(env, 'LOG_FORMAT', ['auto', 'json', 'pretty']),
    callRate: readRate(env, 'RATE_LIMIT_CALLS', LIMITS.callsPerSecond),
    writeRate: readRate(env, 'RATE_LIMIT_WRITES', LIMITS.writesPerSecond),
    concurrentRequests: readInteger(env, 'CONCURRENT_REQUESTS', LIMITS.concurrentRequests, 0, 1_000_000, '0 for no limit'),
    tracing: unwrap(readTracing(env)),
    dev: env['NODE_ENV'] === 'development',
  };
}

function readInstanceId(env: Environment): string | null {
  const given = env['INSTANCE_ID'] || null;
  if (given === null || /^[a-z0-9][a-z0-9._-]{0,62}$/i.test(given)) return given;
  throw new BadValue(
    `${errorPrefix('INSTANCE_ID', given)} 1 to 63 letters, digits, dots, hyphens and underscores, of which the first is a letter or digit.`,
  );
}

function readDatabase(env: Environment): DatabaseSettings | null {
  const url = env['DATABASE_URL'];
  const settings = {
    connections: readInteger(env, 'DATABASE_POOL', 10, 3, 1_000, 'connections to PostgreSQL'),
    statementMs: 1_000 * readInteger(env, 'DATABASE_STATEMENT_SECONDS', 30, 1, 3_600, 'seconds'),
    startMs: 1_000 * readInteger(env, 'DATABASE_CONNECT_SECONDS', 30, 0, 3_600, 'seconds that a start waits for the database'),
  };
  if (!url) return null;
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new BadValue(
      `${errorPrefix('DATABASE_URL', withoutPassword(url))} an address of PostgreSQL, such as postgres://user:password@db.example.com:5432/switchboard. Without it the database is a file in DATA_DIR.`,
    );
  }
  const query = new URL(url).searchParams;
  const mode = query.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new BadValue(`${errorPrefix('DATABASE_URL', `…?sslmode=${mode}`)} as sslmode ${SSL_MODES.join(', ')}.`);
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = query.get(name);
    if (file !== null && !isReadable(file))
      throw new BadValue(`${errorPrefix('DATABASE_URL', `…?${name}=${file}`)} as ${name} a file that the server can read.`);
  }
  return { url, ...settings };
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function readInteger(env: Environment, name: string, fallback: number, least: number, most: number, note: string): number {
  const given = env[name];
  if (!given) return fallback;
  const value = /^\d{1,12}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new BadValue(`${errorPrefix(name, given)} a whole number from ${least} to ${most} (${note}).`);
}

function readKept(env: Environment, what: string, fallback: number, least: number, note: string): Kept {
  return { newest: readInteger(env, `${what}_KEPT`, fallback, least, 100_000_000, note), days: readDays(env, what) };
}

function readDays(env: Environment, what: string): number {
  return readInteger(env, `${what}_KEPT_DAYS`, 0, 0, 36_500, 'days; 0 keeps them however old');
}

function readBoolean(env: Environment, name: string, fallback: boolean): boolean {
  const given = env[name];
  if (!given) return fallback;
  const word = given.toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  if (['false', '0', 'no', 'off'].includes(word)) return false;
  throw new BadValue(`${errorPrefix(name, given)} true or false.`);
}

/** `20/s`, `600/min`, `off`. */
function readRate(env: Environment, name: string, perSecond: number): RequestRate | null {
  const given = env[name] || `${perSecond}/s`;
  if (given.toLowerCase() === 'off') return null;
  const [, digits = '', unit = ''] = /^(\d{1,9})\/(s|min|h)$/.exec(given) ?? [];
  const count = Number(digits);
  if (count >= 1) return { count, perMs: unit === 's' ? 1_000 : unit === 'min' ? 60_000 : 3_600_000 };
  throw new BadValue(`${errorPrefix(name, given)} a number of requests from 1 on per s, min or h, such as 20/s or 600/min, or off.`);
}

/**
 * A secret: the value is not shown. It becomes part of a URL; servers other than Telegram's may use any format.
 */
function readTelegramToken(env: Environment): string | null {
  const given = env['TELEGRAM_BOT_TOKEN'];
  if (!given) return null;
  if ((env['TELEGRAM_API_ROOT'] ? /^[\w:.~-]{1,200}$/ : /^\d{1,20}:[\w-]{1,200}$/).test(given)) return given;
  throw new BadValue('TELEGRAM_BOT_TOKEN is not a bot token; accepted: a token from @BotFather, such as 123456:ABC-DEF….');
}

/** A secret too. A header has no surrounding blanks and only visible ASCII, so such a token could never be sent. */
function readAdminToken(env: Environment): string | null {
  const given = env['EXTENSIONS_ADMIN_TOKEN'];
  if (!given) return null;
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(given)) return given;
  const what = given.trim() === '' ? 'only blanks' : 'what no header can carry';
  throw new BadValue(
    `EXTENSIONS_ADMIN_TOKEN is set to ${what}; accepted: visible ASCII characters, without blanks at the beginning and end. Make one with \`openssl rand -hex 24\`, or remove the variable.`,
  );
}

/** A secret too. Several while it is rotated. */
function readSecretsKeys(env: Environment): readonly string[] {
  const keys = (env['SECRETS_KEY'] ?? '').split(',').map((key) => key.trim());
  if (keys.join('') === '') return [];
  if (keys.every((key) => key.length >= KEY_LEAST && new Set(key).size >= 8)) return keys;
  throw new BadValue(
    `SECRETS_KEY is too easy to guess; accepted: ${KEY_LEAST} characters or more, 8 of them different, and after a comma the earlier keys while values are encrypted again. Create it with \`openssl rand -hex 32\`.`,
  );
}

function readAddress(env: Environment, name: string, fallback: string): string {
  const given = env[name] || fallback;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.search !== '')
    throw new BadValue(`${errorPrefix(name, given)} an address that begins with https:// or http://, without a name or a query in it.`);
  return given.replace(/\/+$/, '');
}

function readWord<Word extends string>(env: Environment, name: string, words: readonly [Word, ...Word[]]): Word {
  const given = env[name];
  if (!given) return words[0];
  const word = words.find((known) => known === given.toLowerCase());
  if (word === undefined) throw new BadValue(`${errorPrefix(name, given)} ${words.join(', ')}.`);
  return word;
}

/** A name is looked up on PATH when it is needed; a path must be a program now. */
function readProgram(env: Environment, name: string, fallback: string, cwd: string): string {
  const given = env[name] || fallback;
  if (!given.includes('/') && !given.includes(sep)) return given;
  const file = resolve(cwd, given);
  try {
    if (!statSync(file).isFile()) throw new Error('not a file');
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    throw new BadValue(`${errorPrefix(name, given)} the name of a program on PATH, such as python3, or a path to one that can be run.`);
  }
}

/** The real path: paths that are compared and granted later must be free of symbolic links. */
function readFolder(env: Environment, name: string, cwd: string, fallback: string, need: 'existing' | 'readable' | 'writable'): string {
  const given = env[name] || fallback;
  const path = resolve(cwd, given);
  const bad = (what: string, right: string): BadValue => new BadValue(`${name} is "${given}", ${what}; accepted: ${right}.`);
  try {
    if (need !== 'existing') makeFolder(path);
    if (!statSync(path).isDirectory()) throw bad('which is a file', 'a folder');
  } catch (error) {
    if (error instanceof BadValue) throw error;
    const code = codeOf(error);
    if (code === 'EEXIST' || code === 'ENOTDIR') throw bad('which is a file or lies below one', 'a folder');
    if (code === 'ENOENT' && need === 'existing') throw bad('which does not exist', 'an existing folder');
    throw bad(
      `which could not be ${need === 'existing' ? 'read' : 'made or read'} (${code})`,
      'a folder that the user who runs the server can reach',
    );
  }
  const rights = need === 'writable' ? constants.R_OK | constants.W_OK | constants.X_OK : constants.R_OK | constants.X_OK;
  try {
    accessSync(path, rights);
  } catch (error) {
    const verb = need === 'writable' ? 'read and write' : 'read';
    throw bad(`which the user who runs the server may not ${verb} (${codeOf(error)})`, `a folder that it may ${verb}`);
  }
  return realpathSync(path);
}

function codeOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : String(error);
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function unwrap<Value>(list: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly reason: string }): Value {
  if (list.ok) return list.value;
  throw new BadValue(list.reason);
}
