import type { ServerConfig } from '#lib/contract/servers.ts';

/** The fields of the form of an MCP server. Lists are texts with one item per line. */
export interface ServerForm {
  readonly kind: 'command' | 'url';
  readonly command: string;
  readonly args: string;
  readonly env: string;
  readonly url: string;
  readonly headers: string;
  readonly isEnabled: boolean;
}

export const EMPTY_FORM: ServerForm = { kind: 'command', command: '', args: '', env: '', url: '', headers: '', isEnabled: true };

export function formOf(config: ServerConfig): ServerForm {
  return {
    kind: config['url'] === undefined ? 'command' : 'url',
    command: textOf(config['command']),
    args: (Array.isArray(config['args']) ? config['args'] : []).map(textOf).join('\n'),
    env: pairsOf(config['env'], '='),
    url: textOf(config['url']),
    headers: pairsOf(config['headers'], ': '),
    isEnabled: config['disabled'] !== true,
  };
}

/** @param before the entry in the file: members that the form does not show stay */
export function configOf(form: ServerForm, before: ServerConfig = {}): ServerConfig {
  const { command: _command, args: _args, env: _env, url: _url, headers: _headers, disabled: _disabled, type, ...others } = before;
  const lines = form.args.split('\n').map((line) => line.trimEnd());
  const args = lines.filter((line) => line !== '');
  const env = membersOf(form.env, '=');
  const headers = membersOf(form.headers, ':');
  const isSame = (before['url'] === undefined) === (form.kind === 'command');
  return {
    ...(form.kind === 'command'
      ? { command: form.command.trim(), ...(args.length === 0 ? {} : { args }), ...(isEmpty(env) ? {} : { env }) }
      : { url: form.url.trim(), ...(isEmpty(headers) ? {} : { headers }) }),
    ...(type === undefined || !isSame ? {} : { type }),
    ...others,
    ...(form.isEnabled ? {} : { disabled: true }),
  };
}

/** The first line that is no pair; null without one. */
export function faultIn(text: string, sign: '=' | ':'): string | null {
  const line = text.split('\n').find((one) => one.trim() !== '' && one.indexOf(sign) < 1);
  if (line === undefined) return null;
  return `“${line.trim().slice(0, 40)}” is not ${sign === '=' ? 'NAME=value' : 'Name: value'}.`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function pairsOf(value: unknown, sign: string): string {
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([name, text]) => `${name}${sign}${textOf(text)}`)
    .join('\n');
}

function membersOf(text: string, sign: string): Readonly<Record<string, string>> {
  const pairs = text.split('\n').flatMap((line): [string, string][] => {
    const at = line.indexOf(sign);
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
  });
  return Object.fromEntries(pairs);
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
