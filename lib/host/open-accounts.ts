import type { Accounts, TeamSettings } from '#lib/accounts/accounts.ts';
import type { AccountsElsewhere } from '#lib/accounts/create-accounts.ts';
import type { Instances } from '#lib/instances/instances.ts';
import type { Store } from '#lib/store/store.ts';
import type { HostConfig } from './config.ts';
import type { Logger } from './logger.ts';

/** Loads modules for team servers only: a third of a second and 50 MB that a single user does not need. */
export async function openAccounts(
  settings: TeamSettings,
  { dataDir }: HostConfig,
  store: Store,
  instances: Instances,
  logger: Logger,
): Promise<Accounts> {
  const { createAccounts } = await import('#lib/accounts/create-accounts.ts');
  const { shared } = store;
  const elsewhere: AccountsElsewhere | null =
    shared === null
      ? null
      : {
          attempts: shared.attempts,
          notify: (about) => instances.notify('accounts', `${instances.id()} ${about}`),
          // Sessions that this server ended are already closed here; its own notice may return during the next request.
          onNotice: (listener) =>
            instances.onNotice('accounts', (text) => {
              const [sender = '', ...about] = text.split(' ');
              if (sender !== instances.id()) listener(about.join(' '));
            }),
        };
  return createAccounts({ settings, dataDir, store, shared: elsewhere, log: (level, message, fields) => logger[level](message, fields) });
}
