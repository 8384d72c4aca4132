import { readFileSync } from 'node:fs';
import { isSecretName } from '#lib/contract/secret-names.ts';
import { looksRandom } from '#lib/contract/likely-secrets.ts';
import { secretTextsIn } from '#lib/contract/secret-texts.ts';
import { expandVariables } from '#lib/runtime/children/expand-variables.ts';
import { serverProgramSchema } from '#lib/runtime/server-program.ts';
import type { HostConfig } from './config.ts';

/**
 * The values known to be secrets. What can go wrong: a normal setting is treated as a secret, and an ordinary word is
 * redacted in every record. So variables that all extensions see count only when their name or form suggests a secret;
 * in a `.env` and in an entry of `mcp.json`, where secrets are expected, every value counts unless it is clearly a
 * setting.
 */
type Values = Readonly<Record<string, string>>;

export function secretsOfConfig({ adminToken, secretsKeys, telegramToken, team, tracing, database }: HostConfig): readonly string[] {
  const all = [
    adminToken,
    ...secretsKeys,
    telegramToken,
    team?.secret,
    team?.oidc?.clientSecret,
    database?.url,
    ...Object.values(tracing?.headers ?? {}),
  ];
  return all.filter((value) => typeof value === 'string').flatMap((value) => [value, ...credentials(value)]);
}

/** Working directories of the shell; their names end in PWD, like those of passwords. */
const FOLDERS = new Set(['PWD', 'OLDPWD']);

/** Variables whose name or form suggests a secret. */
export function secretVariables(environment: Values): readonly string[] {
  const others = Object.entries(environment).filter(([name]) => !FOLDERS.has(name));
  return others.flatMap(([name, value]) => (isNamed(name) || isRandom(value) ? parts(value) : secretTextsIn(value)));
}

/** Lines of a `.env`, or variables and headers of a server: every value that is not clearly a setting. */
export function secretSettings(values: Values): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isNamed(name) || !(value.length < SHORTEST || isSetting(name) || isPlain(value)) ? parts(value) : secretTextsIn(value),
  );
}

/** The server's entry from `mcp.json`, as stored in its program file, with its variables; empty when unreadable. */
export function secretsOfServer(programFile: string, environment: Values, secrets: Values): readonly string[] {
  try {
    const { connection } = serverProgramSchema.parse(JSON.parse(readFileSync(programFile, 'utf8')));
    const expanded = expandVariables(connection, { variables: environment, secrets }, []);
    const known = expanded.ok ? expanded.connection : connection;
    return known.type === 'stdio'
      ? [
          ...secretSettings(withoutPlaceholders(known.env)),
          ...known.args.flatMap((arg) => secretTextsIn(arg)),
          ...secretTextsIn(known.args.join(' ')),
        ]
      : [...secretSettings(withoutPlaceholders(known.headers)), ...secretTextsIn(known.url)];
  } catch {
    return [];
  }
}

/** Placeholders are not secrets, and appear in messages about them. */
function withoutPlaceholders(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.replaceAll(/\$\{[^}]*\}/g, '').trim()]));
}

const SHORTEST = 8;
/** Words that mark a value as a secret when a variable's name contains one; field names must end in one. */
const SECRET_WORDS =
  /(?:^|[_-])(?:key|pass|pw|pin|pat|auth|secret|creds?|credentials?|salt|signature|webhook|dsn|token|password)s?(?:[_-]|$)/i;
const SETTING_WORDS =
  /(?:^|[_-])(?:model|region|zone|hosts?|hostname|ports?|url|uri|endpoint|path|dir|folder|file|name|user|username|email|level|mode|env|environment|version|tz|lang|locale|timeout|ms|seconds|bucket|database|db|table|format|debug|agent|type|accept|encoding|id)$/i;

function isNamed(name: string): boolean {
  return isSecretName(name) || (SECRET_WORDS.test(name) && !isSetting(name));
}

function isSetting(name: string): boolean {
  return SETTING_WORDS.test(name);
}

/** One sequence of letters of both cases and digits, or a hash: ordinary names do not look like that. */
function isRandom(value: string): boolean {
  return (
    /^[\w+/=.~-]{20,}$/.test(value) &&
    ((/[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value)) || /^[0-9a-f]{32,}$/i.test(value)) &&
    looksRandom(value, 20)
  );
}

/** Words, a number, a path, which may begin with a variable, an address, a date or a list of such. */
function isPlain(value: string): boolean {
  return (
    /^[\p{L}\s_-]*$/u.test(value) ||
    /^[\d\s.,:+-]+$/.test(value) ||
    /^(?:\.{0,2}\/|~|[A-Z]:\\|[a-z][a-z0-9+.-]*:\/\/)/i.test(value) ||
    /^(?:%\w+%|\$\w+|\$\{\w+\})(?:[\\/].*)?$/.test(value) ||
    /^[\w.-]+(?::\d+|@[\w.-]+\.\w+)$/.test(value) ||
    /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/i.test(value) ||
    /^(?:application|text|image|multipart)\/[\w.+-]+(?:;.*)?$/.test(value)
  );
}

function parts(value: string): readonly string[] {
  return [...new Set([value, ...credentials(value), ...secretTextsIn(value)])];
}

/** The value after a header's scheme, and its base64-decoded text. */
function credentials(value: string): readonly string[] {
  const [, scheme = '', behind] = /^(bearer|basic|token|apikey)\s+(\S+)$/i.exec(value) ?? [];
  if (behind === undefined) return [];
  const password = /^basic$/i.test(scheme)
    ? Buffer.from(behind, 'base64')
        .toString('utf8')
        .replace(/^[^:]*:/, '')
    : behind;
  return [behind, password];
}
