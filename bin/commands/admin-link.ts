import { randomUUIDv7 } from 'node:crypto';
import path from 'node:path';
import { hashJoinSecret, joinLink, makeJoinSecret } from '#lib/accounts/invitations.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { openStore } from '#lib/store/open-store.ts';
import { insertRecoveryLink, type RecoveryLink, type RecoveryOutcome } from '#lib/store/sqlite/backup-file.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions } from './read-options.ts';

export const adminLinkCommand: Command = {
  name: 'admin-link',
  summary: 'Create a link to become admin when no admin can sign in',
  help: `Prints a link to become admin. It works once, for 24 hours, and replaces earlier links. Open it to create an account, or enter
the e-mail address of an existing one, which gets the new password and the admin role. Run it on the server's machine as a user
who may write DATA_DIR; the server may run meanwhile.

Usage: switchboard admin-link

Exit codes: 0 link printed, 2 invalid command line, 3 link not created.

  switchboard admin-link
  DATA_DIR=/srv/switchboard/data PUBLIC_URL=https://board.example.com switchboard admin-link
`,

  async run(args, context) {
    if (readOptions(args, {}).positionals.length > 0) throw wrongUsage('This command takes no arguments: switchboard admin-link');
    const secret = makeJoinSecret();
    const createdAt = Date.now();
    const link = { id: randomUUIDv7(), secretHash: hashJoinSecret(secret), createdAt, expiresAt: createdAt + LIMITS.firstAdminLinkMs };
    const url = context.env['DATABASE_URL'];
    const outcome = await (url
      ? insertIntoServer(url, link)
      : insertRecoveryLink(path.resolve(context.cwd, context.env['DATA_DIR'] || 'data'), link));
    if (!outcome.ok) throw cannotDo(outcome.reason);
    if (context.env['AUTH']?.toLowerCase() !== 'team')
      context.note('AUTH=team is not set here. The link works only if the server on this folder runs with AUTH=team.');
    await context.print(`${joinLink(originOf(context), secret)}\n`);
    return EXIT.ok;
  },
};

async function insertIntoServer(url: string, link: RecoveryLink): Promise<RecoveryOutcome> {
  const opened = await openStore({ url, startMs: 0, isServer: false });
  if (!opened.ok) return opened;
  try {
    await opened.store.accounts.insertLink({ ...link, kind: 'recovery', email: null, role: 'admin', invitedBy: null });
    return { ok: true };
  } finally {
    await opened.store.close();
  }
}

function originOf({ env }: CommandContext): string {
  const { PUBLIC_URL: origin, PORT: port } = env;
  return origin ? origin.replace(/\/+$/, '') : `http://localhost:${port || '3000'}`;
}
