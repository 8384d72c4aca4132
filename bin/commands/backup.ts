import path from 'node:path';
import { backUp, restoreBackup } from '#lib/store/sqlite/backup-file.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions } from './read-options.ts';

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Back up all data into one file, also while the server runs',
  help: `Copies the database and the programs of runnable revisions from DATA_DIR into one consistent file, also while a server runs.
The copy is verified before it gets its name. Existing files are not overwritten.

Usage: switchboard backup <file>

Exit codes: 0 backup on disk, 2 invalid command line, 3 backup failed.

  switchboard backup backups/monday.db
  DATA_DIR=/srv/switchboard/data switchboard backup /mnt/backups/switchboard.db
`,

  async run(args, context) {
    const file = oneFile(args, context, 'switchboard backup backups/monday.db');
    refuseServer(context, 'pg_dump --format=custom --file=backup.dump "$DATABASE_URL"');
    const outcome = await backUp(dataDir(context), file);
    if (!outcome.ok) throw cannotDo(outcome.reason);
    const { bytes, calls, programs } = outcome;
    await context.print(
      `${file}: ${count(calls, 'call')}, ${count(programs, 'program')}, ${(bytes / 1_048_576).toFixed(1)} MiB; every page verified\n`,
    );
    return EXIT.ok;
  },
};

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Restore a backup into a new data folder',
  help: `Creates the data folder DATA_DIR from a file of \`switchboard backup\` after verifying every page. A folder that contains a
database or is in use is not changed.

Usage: switchboard restore <file>

Exit codes: 0 restored, 2 invalid command line, 3 not restored.

  DATA_DIR=restored switchboard restore backups/monday.db
`,

  async run(args, context) {
    const file = oneFile(args, context, 'switchboard restore backups/monday.db');
    refuseServer(context, 'pg_restore --no-owner --dbname="$DATABASE_URL" backup.dump');
    const folder = dataDir(context);
    const outcome = restoreBackup(file, folder);
    if (!outcome.ok) throw cannotDo(outcome.reason);
    await context.print(
      `${folder}: ${count(outcome.calls, 'call')}, ${count(outcome.programs, 'program')}. Start the server with DATA_DIR=${folder}\n`,
    );
    return EXIT.ok;
  },
};

function oneFile(args: readonly string[], context: CommandContext, example: string): string {
  const { positionals } = readOptions(args, {});
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw wrongUsage(`Name one file: \`${example}\`.`);
  return path.resolve(context.cwd, file);
}

/** A database of PostgreSQL has commands of its own. */
function refuseServer({ env }: CommandContext, instead: string): void {
  if (env['DATABASE_URL']) throw cannotDo(`DATABASE_URL is set, so the data is in PostgreSQL. Use its command: ${instead}`);
}

function dataDir(context: CommandContext): string {
  return path.resolve(context.cwd, context.env['DATA_DIR'] || 'data');
}

function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}
