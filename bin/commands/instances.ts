import { instanceListSchema } from '#lib/contract/instance.ts';
import type { Instance } from '#lib/contract/instance.ts';
import { API } from '#lib/contract/paths.ts';
import { escapeControl } from '#lib/host/escape-control.ts';
import { EXIT } from './command.ts';
import type { Command, CommandContext, Style } from './command.ts';
import { jsonText } from './json-text.ts';
import { readOptions, refuseWords } from './read-options.ts';
import { requireServer } from './running-server.ts';

export const instancesCommand: Command = {
  name: 'instances',
  summary: 'List the servers that share a database',
  help: `Prints the servers that share the database of a server, newest first: state, running calls, extensions that are ready
and failed, version, start and last heartbeat. Servers that stopped are listed as gone for a day. On SQLite there is one.

Usage: switchboard instances [options]

  --json            the answer of GET /api/v1/instances
  --url URL         the server; SWITCHBOARD_URL, or http://HOST:PORT (http://127.0.0.1:3000) by default

Exit codes: 0 at least one is ready, 1 none is ready, 2 invalid command line, 3 no server.

  switchboard instances
  switchboard instances --json | jq -r '.instances[] | select(.state == "ready") | .id'
`,

  async run(args, context) {
    const { values, positionals } = readOptions(args, { json: { type: 'boolean' }, url: { type: 'string' } });
    refuseWords(positionals, 'The command has options only, such as --json.');
    const server = await requireServer(context, values.url);
    const list = await server.get(API.instances, instanceListSchema);
    await context.print(values.json ? `${jsonText(list)}\n` : tableText(list.instances, context));
    return list.instances.some(({ state }) => state === 'ready') ? EXIT.ok : EXIT.failed;
  },
};

const STYLES: Readonly<Record<Instance['state'], Style>> = { ready: 'green', starting: 'cyan', draining: 'yellow', gone: 'dim' };
const HEAD = ['INSTANCE', 'STATE', 'CALLS', 'READY', 'FAILED', 'VERSION', 'STARTED', 'LAST SEEN'];
const STATE_AT = 1;

function tableText(instances: readonly Instance[], context: CommandContext): string {
  const rows = instances.map((instance) => [
    escapeControl(instance.id),
    instance.state,
    ...(instance.state === 'gone'
      ? ['-', '-', '-']
      : [instance.calls_running, instance.extensions.ready, instance.extensions.failed].map(String)),
    escapeControl(instance.version),
    instance.started_at,
    instance.last_seen,
  ]);
  const widths = HEAD.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const lineOf = (row: readonly string[], style?: Style): string =>
    row
      .map((text, at) => {
        const padded = at === row.length - 1 ? text : text.padEnd(widths[at] ?? 0);
        return style !== undefined && at === STATE_AT ? context.paint(style, padded) : padded;
      })
      .join('  ');
  return [lineOf(HEAD), ...rows.map((row, at) => lineOf(row, STYLES[instances[at]?.state ?? 'gone']))].map((line) => `${line}\n`).join('');
}
