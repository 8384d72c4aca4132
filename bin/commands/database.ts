import path from 'node:path';
import type { CopyProgress } from '#lib/store/postgres/copy-database.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions } from './read-options.ts';

const EXAMPLE = 'switchboard database copy --to postgres://user:password@db.example.com/switchboard';
const SAY_EVERY_MS = 2_000;

export const databaseCommand: Command = {
  name: 'database',
  summary: 'Copy all data from SQLite into PostgreSQL',
  help: `Copies the database in DATA_DIR into an empty database of PostgreSQL: all of it or nothing. Stop the server first. Row counts and
checksums of every table are compared before the tables get their place. Run it again to continue a copy that was
interrupted. DATA_DIR stays unchanged; keep it, since it holds the built programs of extensions.

Usage: switchboard database copy --to URL

  --to URL          address of the database; DATABASE_URL by default

Exit codes: 0 copied, 2 invalid command line, 3 not copied.

  ${EXAMPLE}
  DATA_DIR=/srv/switchboard/data DATABASE_URL=postgres://db.example.com/switchboard switchboard database copy
`,

  async run(args, context) {
    const { values, positionals } = readOptions(args, { to: { type: 'string' } });
    if (positionals.length !== 1 || positionals[0] !== 'copy') throw wrongUsage(`Write \`${EXAMPLE}\`.`);
    const url = values.to || context.env['DATABASE_URL'];
    if (!url) throw wrongUsage(`Name the database: \`${EXAMPLE}\`.`);
    if (!/^postgres(ql)?:\/\//.test(url))
      throw wrongUsage('--to must start with postgres://, such as postgres://user:password@db.example.com/switchboard.');
    const dataDir = path.resolve(context.cwd, context.env['DATA_DIR'] || 'data');
    const { copyDatabase } = await import('#lib/store/postgres/copy-database.ts');
    const outcome = await copyDatabase({ dataDir, url, signal: context.signal, onProgress: progressLines(context) });
    if (!outcome.ok) throw cannotDo(outcome.reason);
    const { rows, tables, place } = outcome;
    await context.print(
      `${place}: ${rows.toLocaleString('en')} rows in ${tables} tables, every one compared. Start the server with DATABASE_URL and the same DATA_DIR; its search covers the calls once it has indexed them.\n`,
    );
    return EXIT.ok;
  },
};

/** A line when a table is done, and every two seconds for a long one. */
function progressLines(context: CommandContext): (progress: CopyProgress) => void {
  let saidAt = performance.now();
  return ({ table, doing, rows, total }) => {
    if (rows < total && performance.now() - saidAt < SAY_EVERY_MS) return;
    saidAt = performance.now();
    context.note(`${table}: ${doing} ${rows.toLocaleString('en')} of ${total.toLocaleString('en')} rows`);
  };
}
