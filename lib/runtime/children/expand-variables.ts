import type { ServerConnectionSettings } from '../server-program.ts';
import type { FailureReport } from '../messages.ts';

export type Expanded =
  | { readonly ok: true; readonly connection: ServerConnectionSettings }
  | { readonly ok: false; readonly failure: FailureReport };

const VARIABLE = /\$\{(?<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>[^}]*))?\}/g;

/** Puts the values of variables in place of `${NAME}` and `${NAME:-default}`; the first that is missing is a failure that names it. */
export function expandVariables(
  connection: ServerConnectionSettings,
  variables: Readonly<Record<string, string>>,
  subject: readonly string[],
): Expanded {
  let failure: FailureReport | null = null;
  const text = (value: string, ...keys: readonly (string | number)[]): string =>
    value.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
      const known = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (known !== undefined && (known !== '' || fallback === undefined)) return known;
      if (fallback === undefined) failure ??= missing(name, [...subject, ...keys]);
      return fallback ?? '';
    });
  const texts = (values: Readonly<Record<string, string>>, key: string): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value, key, name)]));
  const expanded: ServerConnectionSettings =
    connection.type === 'stdio'
      ? {
          type: 'stdio',
          command: text(connection.command, 'command'),
          args: connection.args.map((arg, index) => text(arg, 'args', index)),
          env: texts(connection.env, 'env'),
          cwd: connection.cwd === null ? null : text(connection.cwd, 'cwd'),
        }
      : { type: 'http', url: text(connection.url, 'url'), headers: texts(connection.headers, 'headers'), isSse: connection.isSse };
  return failure === null ? { ok: true, connection: expanded } : { ok: false, failure };
}

function missing(name: string, subject: readonly (string | number)[]): FailureReport {
  return {
    code: 'config_missing',
    message: `The variable ${name} is used here and is not set.`,
    hint: `Add a line ${name}=… to the file .env beside mcp.json; or set ${name} where the server is started and name it in EXTENSION_ENV. A value for when it is not set is written \${${name}:-value}.`,
    subject,
  };
}
