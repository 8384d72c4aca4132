import path from 'node:path';
import { backUp } from '#lib/store/backup-file.ts';
import { restoreBackup } from '#lib/store/restore-backup.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions } from './read-options.ts';

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Copy what a server keeps into one file, also while it runs',
  help: `Copies the database of DATA_DIR and the programs of the revisions that can run again into one file, as they are at this
moment; a server may go on working meanwhile. The copy is examined before it gets its name. A file that is there is not overwritten.

Usage: switchboard backup <file>

Ends with 0 when the backup is on disk, 2 when the command line is wrong, 3 when it could not be made.

  switchboard backup backups/monday.db
  DATA_DIR=/srv/switchboard/data switchboard backup /mnt/backups/switchboard.db
`,

  async run(args, context) {
    const file = oneFile(args, context, 'switchboard backup backups/monday.db');
    const outcome = await backUp(dataDir(context), file);
    if (!outcome.ok) throw cannotDo(outcome.reason);
    const { bytes, calls, programs } = outcome;
    await context.print(
      `${file}: ${count(calls, 'call')}, ${count(programs, 'program')}, ${(bytes / 1_048_576).toFixed(1)} MiB; every page was examined\n`,
    );
    return EXIT.ok;
  },
};

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Make a data folder from a backup',
  help: `Makes the data folder DATA_DIR from a file that \`switchboard backup\` wrote, once every page of it was examined. A folder that
holds a database is left as it is, and so is one that a server uses.

Usage: switchboard restore <file>

Ends with 0 when a server can be started on the folder, 2 when the command line is wrong, 3 when it could not be restored.

  DATA_DIR=restored switchboard restore backups/monday.db
`,

  async run(args, context) {
    const file = oneFile(args, context, 'switchboard restore backups/monday.db');
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
  if (file === undefined || positionals.length > 1) throw wrongUsage(`Name one file, such as: ${example}`);
  return path.resolve(context.cwd, file);
}

function dataDir(context: CommandContext): string {
  return path.resolve(context.cwd, context.env['DATA_DIR'] || 'data');
}

function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}
