import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { API } from '#lib/contract/paths.ts';
import {
  CLIENT_NAMES,
  type ImportedServers,
  importedServersSchema,
  SERVER_CLIENTS,
  type ServerClient,
  serverClientOf,
  serversIn,
  targetOf,
} from '#lib/contract/servers.ts';
import { escapeControl } from '#lib/host/escape-control.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { jsonText } from './json-text.ts';
import { readOptions } from './read-options.ts';
import { requireServer } from './running-server.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Add the MCP servers of another client',
  help: `Reads the configuration of an MCP client and adds its servers to mcp.json of a running server. Credentials go to the secret
store. Without --yes it only shows what would be added.

Usage: switchboard import <client | file> [options]

  client         ${SERVER_CLIENTS.slice(0, 4).join(', ')},
                 ${SERVER_CLIENTS.slice(4).join(', ')}: its file on this computer
  file           a configuration file; --client names its format if it is not recognised
  --client NAME  client that the file belongs to
  --only LIST    names of the servers to add, comma-separated, as shown
  --yes          add them
  --json         one JSON object, as POST /api/v1/servers/import answers
  --url URL      the server; SWITCHBOARD_URL, or http://HOST:PORT (http://127.0.0.1:3000) by default

The admin token is read from EXTENSIONS_ADMIN_TOKEN. Exit codes: 0 shown or added, 2 invalid command line, 3 no server or file.

  switchboard import cursor
  switchboard import claude-desktop --only github --yes
  switchboard import ./team/mcp.json --client vscode
`,

  async run(args, context) {
    const { values, positionals } = readOptions(args, {
      client: { type: 'string' },
      only: { type: 'string' },
      yes: { type: 'boolean' },
      json: { type: 'boolean' },
      url: { type: 'string' },
    });
    const [source, ...rest] = positionals;
    if (source === undefined || rest.length > 0) throw wrongUsage('Name one client or file: `switchboard import cursor`.');
    const { file, client } = findSource(source, values.client, context);
    const server = await requireServer(context, values.url);
    const token = context.env['EXTENSIONS_ADMIN_TOKEN'];
    const names = values.only?.split(',').map((name) => name.trim());
    const answer = await server.post(
      API.importServers,
      { client, text: serversIn(readText(file), client), preview: values.yes !== true, ...(names === undefined ? {} : { names }) },
      importedServersSchema,
      token === undefined || token === '' ? {} : { 'x-admin-token': token },
    );
    const unknown = names?.filter((name) => !answer.servers.some((one) => one.name === name)) ?? [];
    if (unknown.length > 0) throw wrongUsage(`There is no server ${unknown.join(', ')} in ${file}. Leave out --only to see their names.`);
    await context.print(values.json === true ? `${jsonText(answer)}\n` : report(answer, names));
    if (values.json !== true)
      context.note(
        values.yes === true
          ? `Added to mcp.json of ${server.url}. Set missing secrets on ${server.url}/settings/secrets.`
          : `Nothing was changed. Add them with --yes${names === undefined ? ', or some of them with --only' : ''}.`,
      );
    return EXIT.ok;
  },
};

function report({ client, servers, skipped }: ImportedServers, names: readonly string[] | undefined): string {
  const shown = servers.filter(({ name }) => names?.includes(name) ?? true);
  const lines = [`${CLIENT_NAMES[client]}: ${shown.length} ${shown.length === 1 ? 'server' : 'servers'}`];
  for (const server of shown) {
    lines.push('', `${server.name}${server.conflict ? `  (“${server.original_name}” exists)` : ''}`, `  ${targetOf(server.config)}`);
    if (server.secrets.length > 0) lines.push(`  secrets: ${server.secrets.join(', ')}`);
    if (server.missing_secrets.length > 0) lines.push(`  to be set: ${server.missing_secrets.join(', ')}`);
    lines.push(...server.warnings.map((warning) => `  warning: ${warning}`));
  }
  for (const { name, reason } of skipped) lines.push('', `${name}  (skipped)`, `  ${reason}`);
  return `${lines.map(escapeControl).join('\n')}\n`;
}

function findSource(
  source: string,
  named: string | undefined,
  context: CommandContext,
): { readonly file: string; readonly client: string } {
  const given = named === undefined ? null : serverClientOf(named);
  if (named !== undefined && given === null) throw wrongUsage(`“${named}” is not a known client. There are: ${SERVER_CLIENTS.join(', ')}.`);
  const file = path.resolve(context.cwd, source);
  const client = serverClientOf(source);
  if (client === null || isFile(file)) {
    if (!isFile(file)) throw cannotDo(`${file} does not exist. Name a file, or a client: ${SERVER_CLIENTS.join(', ')}.`);
    return { file, client: given ?? clientOfFile(file) ?? 'auto' };
  }
  const places = placesOf(client, context);
  const found = places.find(isFile);
  if (found === undefined) throw cannotDo(`${CLIENT_NAMES[client]} has no configuration at ${places.join(' or ')}. Name the file instead.`);
  return { file: found, client };
}

/** Clients by their usual names. */
function clientOfFile(file: string): ServerClient | null {
  const name = path.basename(file);
  if (name === 'claude_desktop_config.json') return 'claude-desktop';
  if (name === 'mcp_config.json') return 'windsurf';
  if (name === 'mcp.json' && path.basename(path.dirname(file)) === '.cursor') return 'cursor';
  return name === '.mcp.json' || name === '.claude.json' ? 'claude-code' : null;
}

/** Paths of each client's file on this system; the one in the working directory first. */
function placesOf(client: ServerClient, { cwd, env }: CommandContext): readonly string[] {
  const home = env['HOME'] || env['USERPROFILE'] || cwd;
  const roaming = env['APPDATA'] || path.join(home, 'AppData/Roaming');
  const config = env['XDG_CONFIG_HOME'] || path.join(home, '.config');
  const support = path.join(home, 'Library/Application Support');
  switch (client) {
    case 'claude-desktop':
      return [support, roaming, config].map((folder) => path.join(folder, 'Claude/claude_desktop_config.json'));
    case 'claude-code':
      return [path.join(cwd, '.mcp.json'), path.join(home, '.claude.json')];
    case 'cursor':
      return [path.join(cwd, '.cursor/mcp.json'), path.join(home, '.cursor/mcp.json')];
    case 'vscode':
      return [path.join(cwd, '.vscode/mcp.json'), ...[support, roaming, config].map((folder) => path.join(folder, 'Code/User/mcp.json'))];
    case 'windsurf':
      return [path.join(home, '.codeium/windsurf/mcp_config.json')];
    case 'goose':
      return [path.join(config, 'goose/config.yaml'), path.join(roaming, 'Block/goose/config/config.yaml')];
    case 'codex':
      return [path.join(env['CODEX_HOME'] || path.join(home, '.codex'), 'config.toml')];
  }
}

function isFile(file: string): boolean {
  return existsSync(file) && statSync(file).isFile();
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw cannotDo(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}
