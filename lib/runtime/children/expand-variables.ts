import { secretMissing } from '#lib/contract/names.ts';
import type { ServerConnectionSettings } from '../server-program.ts';
import type { FailureReport } from '../messages.ts';

export type Expanded =
  | { readonly ok: true; readonly connection: ServerConnectionSettings; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly failure: FailureReport };

type Keys = readonly (string | number)[];

/** `NAME` as in Claude Code, `env:NAME` as in VS Code, Cursor and Windsurf; both with an optional default. */
const VARIABLE = /^(?:env:)?(?<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>.*))?$/s;
/** A named secret; without one of this name, a variable. */
const SECRET = /^secret:(?<secret>[^:]+)$/s;
/** VS Code prompts for its value. */
const INPUT = /^input:(?<id>.+)$/s;
/** Predefined variables of VS Code and Cursor, and their equivalents here. */
const NAMES_HERE: Readonly<Record<string, string>> = { workspaceFolder: 'WORKSPACE_ROOT', userHome: 'HOME' };
const SHOWN_CHARACTERS = 80;

export interface Values {
  readonly variables: Readonly<Record<string, string>>;
  /** By name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Expands `${NAME}`, `${env:NAME}`, `${secret:NAME}` and `${NAME:-default}`; the default may contain variables. The first missing
 * one is a failure. A command and its arguments find the variables of their own entry first. Other `${…}` stay unchanged, with a warning: they would otherwise be sent silently as a credential.
 */
export function expandVariables(
  connection: ServerConnectionSettings,
  { variables, secrets }: Values,
  subject: readonly string[],
): Expanded {
  let failure: FailureReport | null = null;
  let seen = variables;
  const warnings = new Set<string>();

  const valueOf = (inner: string, keys: Keys): string => {
    const secret = SECRET.exec(inner)?.groups?.['secret']?.trim();
    if (secret !== undefined) {
      const found = own(secrets, secret) ?? own(variables, secret);
      if (found === undefined) failure ??= { code: 'config_missing', ...secretMissing(secret), subject: [...subject, ...keys] };
      return found ?? '';
    }
    const { name, fallback } = VARIABLE.exec(inner)?.groups ?? {};
    const id = INPUT.exec(inner)?.groups?.['id'];
    if (id !== undefined) failure ??= askedFor(id, [...subject, ...keys]);
    if (name === undefined) {
      if (id === undefined) warnings.add(leftAsWritten(`\${${inner}}`, keys));
      return `\${${inner}}`;
    }
    const known = own(seen, name);
    if (known !== undefined && (known !== '' || fallback === undefined)) return known;
    if (fallback === undefined) failure ??= missing(name, [...subject, ...keys]);
    return fallback === undefined ? '' : text(fallback, ...keys);
  };

  const text = (value: string, ...keys: Keys): string => {
    let result = '';
    let from = 0;
    for (let at = value.indexOf('${'); at >= 0; at = value.indexOf('${', from)) {
      result += value.slice(from, at);
      const end = closingBrace(value, at + 2);
      if (end === null) warnings.add(leftAsWritten(value.slice(at), keys));
      result += end === null ? '${' : valueOf(value.slice(at + 2, end), keys);
      from = end === null ? at + 2 : end + 1;
    }
    return result + value.slice(from);
  };

  const texts = (values: Readonly<Record<string, string>>, key: string): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value, key, name)]));
  const expandCommand = (entry: Extract<ServerConnectionSettings, { type: 'stdio' }>): ServerConnectionSettings => {
    const env = texts(entry.env, 'env');
    const cwd = entry.cwd === null ? null : text(entry.cwd, 'cwd');
    seen = { ...variables, ...env };
    const args = entry.args.map((arg, index) => text(arg, 'args', index));
    return { type: 'stdio', command: text(entry.command, 'command'), args, env, cwd };
  };
  const expanded: ServerConnectionSettings =
    connection.type === 'stdio'
      ? expandCommand(connection)
      : { type: 'http', url: text(connection.url, 'url'), headers: texts(connection.headers, 'headers'), isSse: connection.isSse };
  return failure === null ? { ok: true, connection: expanded, warnings: [...warnings] } : { ok: false, failure };
}

function own(values: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Index of the `}` that closes a `${` before `from`; null if there is none. */
function closingBrace(value: string, from: number): number | null {
  let depth = 1;
  for (let at = from; at < value.length; at += 1) {
    if (value.startsWith('${', at)) depth += 1;
    else if (value[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return null;
}

function leftAsWritten(placeholder: string, keys: Keys): string {
  const shown = placeholder.length > SHOWN_CHARACTERS ? `${placeholder.slice(0, SHOWN_CHARACTERS)}…` : placeholder;
  return `\`${shown}\` in \`${keys.join('.')}\` of mcp.json is not a supported variable and was passed on unchanged; write \${NAME}, \${env:NAME}, \${secret:NAME} or \${NAME:-default}.`;
}

function missing(name: string, subject: Keys): FailureReport {
  const here = Object.hasOwn(NAMES_HERE, name) ? NAMES_HERE[name] : undefined;
  return {
    code: 'config_missing',
    message: `The variable ${name} is not set.`,
    hint:
      here === undefined
        ? `${whereToSet(name)} To set a default, write \${${name}:-…}.`
        : `Write \${${here}}, which has the same meaning; or set ${name}: ${lowerFirst(whereToSet(name))}`,
    subject,
  };
}

function askedFor(id: string, subject: Keys): FailureReport {
  const plain = id
    .slice(0, SHOWN_CHARACTERS)
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_');
  const name = /^[A-Z]/.test(plain) ? plain : `INPUT_${plain.replace(/^_/, '')}`;
  return {
    code: 'config_missing',
    message: `\${input:${id.slice(0, SHOWN_CHARACTERS)}} prompts for a value in VS Code; Switchboard cannot prompt.`,
    hint: `Write \${${name}} in its place. ${whereToSet(name)}`,
    subject,
  };
}

function whereToSet(name: string): string {
  return `Add a line ${name}=… to the file .env beside mcp.json; or set ${name} where the server is started and name it in EXTENSION_ENV.`;
}

function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}
