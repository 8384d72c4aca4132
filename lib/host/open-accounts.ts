import type { Accounts } from '#lib/accounts/accounts.ts';
import type { TeamSettings } from '#lib/accounts/team-settings.ts';
import type { Store } from '#lib/store/store.ts';
import type { HostConfig } from './config.ts';
import type { Logger } from './logger.ts';

/** Loads what only a team's server needs: a third of a second and 50 MB that one user does not pay. */
export async function openAccounts(settings: TeamSettings, { dataDir }: HostConfig, store: Store, logger: Logger): Promise<Accounts> {
  const { createAccounts } = await import('#lib/accounts/create-accounts.ts');
  return createAccounts({ settings, dataDir, store, log: (level, message, fields) => logger[level](message, fields) });
}
