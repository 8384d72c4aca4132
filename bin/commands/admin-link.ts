import { randomUUIDv7 } from 'node:crypto';
import path from 'node:path';
import { hashJoinSecret, joinLink, makeJoinSecret } from '#lib/accounts/join-secret.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { insertRecoveryLink } from '#lib/store/recovery-link.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions } from './read-options.ts';

export const adminLinkCommand: Command = {
  name: 'admin-link',
  summary: 'Make a link by which somebody becomes an admin of a team’s server, when no admin can come in',
  help: `Prints a link by which one person becomes an admin, once, within 24 hours: with a new account, or with that of the e-mail
address that is given there, which gets a new password and is an admin then. Run it on the machine of the server, as the user that
may write DATA_DIR; the server may go on working meanwhile. The link takes the place of the one before.

Usage: switchboard admin-link

Ends with 0 when the link was printed, 2 when the command line is wrong, 3 when it could not be made.

  switchboard admin-link
  DATA_DIR=/srv/switchboard/data PUBLIC_URL=https://board.example.com switchboard admin-link
`,

  async run(args, context) {
    if (readOptions(args, {}).positionals.length > 0) throw wrongUsage('This takes nothing, such as: switchboard admin-link');
    const secret = makeJoinSecret();
    const createdAt = Date.now();
    const outcome = insertRecoveryLink(path.resolve(context.cwd, context.env['DATA_DIR'] || 'data'), {
      id: randomUUIDv7(),
      secretHash: hashJoinSecret(secret),
      createdAt,
      expiresAt: createdAt + LIMITS.firstAdminLinkMs,
    });
    if (!outcome.ok) throw cannotDo(outcome.reason);
    if (context.env['AUTH']?.toLowerCase() !== 'team')
      context.note('AUTH=team is not set here. The link leads nowhere unless the server that uses this folder is started with it.');
    await context.print(`${joinLink(originOf(context), secret)}\n`);
    return EXIT.ok;
  },
};

function originOf({ env }: CommandContext): string {
  const { PUBLIC_URL: origin, PORT: port } = env;
  return origin ? origin.replace(/\/+$/, '') : `http://localhost:${port || '3000'}`;
}
