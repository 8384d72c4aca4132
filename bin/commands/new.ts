import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { NEW_KINDS, type NewKind } from '#lib/contract/source-file.ts';
import { filesOfNew, placesOfNew, refusalOfNewName, serverEntry } from '#lib/host/new-extension.ts';
import { makeFolder } from '#lib/store/make-folder.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command } from './command.ts';
import { readOptions } from './read-options.ts';

export const newCommand: Command = {
  name: 'new',
  summary: 'Create a new extension',
  help: `Creates a small working extension to edit. Existing files are never overwritten.

Usage: switchboard new <tool | tools | channel | mcp> <name> [--python] [--dir FOLDER]
       switchboard new mcp <name> --url URL
       switchboard new mcp <name> -- <command> [arguments]

  tool           one tool in one file: a function with typed parameters       tools/<name>.ts
  tools          several tools with shared state                             <name>/extension.ts
  channel        a messaging adapter: connect, recv, send                     channels/<name>.ts
  mcp            an MCP server: an example, or an existing one                <name>/mcp.json
  --python       in Python instead of TypeScript
  --url URL      address of a Streamable HTTP server
  --dir FOLDER   extensions folder; EXTENSIONS_DIR or \`extensions\` by default

  switchboard new tool count_lines
  switchboard new tools recipes --python
  switchboard new mcp files -- npx -y @modelcontextprotocol/server-filesystem .
`,

  async run(args, context) {
    const end = args.indexOf('--');
    const command = end === -1 ? [] : args.slice(end + 1);
    const { values, positionals } = readOptions(end === -1 ? args : args.slice(0, end), {
      python: { type: 'boolean' },
      url: { type: 'string' },
      dir: { type: 'string' },
    });
    const [kind, name, ...rest] = positionals;
    if (kind === undefined || name === undefined || rest.length > 0)
      throw wrongUsage('Name a kind and a name: `switchboard new tool count_lines`.');
    const known = readKind(kind);
    const refusal = refusalOfNewName(known, name);
    if (refusal !== null) throw wrongUsage(refusal);
    const isOther = values.url !== undefined || end !== -1;
    if (isOther && known !== 'mcp') throw wrongUsage('--url and -- work only with `new mcp`.');
    if (values.url !== undefined && end !== -1) throw wrongUsage('Use either --url or a command, not both.');
    if (values.url !== undefined && !(URL.canParse(values.url) && /^https?:$/.test(new URL(values.url).protocol)))
      throw wrongUsage(`“${values.url}” is not a URL; it must start with https:// or http://.`);
    if (isOther && values.python === true) throw wrongUsage('--python does not apply to an MCP server with a URL or a command.');
    if (end !== -1 && command[0] === undefined) throw wrongUsage('Write the command of the server after --.');

    const files = isOther
      ? {
          [`${name}/mcp.json`]: serverEntry(
            values.url === undefined ? { command: command[0] ?? '', args: command.slice(1) } : { url: values.url },
          ),
        }
      : filesOfNew({ kind: known, name, language: values.python === true ? 'python' : 'typescript' });
    const folder = path.resolve(context.cwd, values.dir ?? (context.env['EXTENSIONS_DIR'] || 'extensions'));
    refuseExisting(folder, known, name);
    for (const [file, text] of Object.entries(files)) {
      const full = path.join(folder, file);
      await writeNew(full, text);
      await context.print(`${path.relative(context.cwd, full)}\n`);
    }
    context.note('A server watching this folder loads it automatically. Without one, run `switchboard check`.');
    return EXIT.ok;
  },
};

async function writeNew(file: string, text: string): Promise<void> {
  try {
    makeFolder(path.dirname(file));
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw cannotDo(`${file} could not be written (${why}). Use --dir with a writable folder.`);
  }
}

function readKind(given: string): NewKind {
  const kind = NEW_KINDS.find((known) => known === given);
  if (kind !== undefined) return kind;
  const meant = nearestName(given, NEW_KINDS);
  throw wrongUsage(
    `“${given}” is not a kind of extension. ${meant === null ? `There are: ${NEW_KINDS.join(', ')}.` : `Did you mean ${meant}?`}`,
  );
}

/** Any existing entry with this id, in any language: a second one would be ambiguous. */
function refuseExisting(folder: string, kind: NewKind, name: string): void {
  const there = placesOfNew(kind, name)
    .map((place) => path.join(folder, place))
    .find((place) => existsSync(place));
  if (there !== undefined) throw cannotDo(`${there} exists. Choose another name, or delete it first.`);
}
