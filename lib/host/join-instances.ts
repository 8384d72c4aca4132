import { secretId } from '#lib/accounts/auth-secret.ts';
import type { ExtensionState } from '#lib/contract/extension.ts';
import { createInstances, type Instances, type InstancesOptions } from '#lib/instances/instances.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { InstanceReport } from '#lib/store/instance-store.ts';
import type { Store } from '#lib/store/store.ts';
import type { Accounts, TeamSettings } from '#lib/accounts/accounts.ts';
import type { AccountsElsewhere } from '#lib/accounts/create-accounts.ts';
import type { HostHealth, HostInstances } from './host.ts';
import type { Logger } from './logger.ts';
import type { HostConfig } from './config.ts';

interface JoinInstancesOptions extends Pick<InstancesOptions, 'id' | 'version' | 'describe' | 'onGone' | 'onChanged'> {
  readonly store: Store;
  /** Null: accounts are off. */
  readonly team: { readonly secret: string } | null;
  /** Null: the key was generated here. No other instance has it, so it is not compared. */
  readonly sealer: Pick<Sealer, 'keyIds'> | null;
  readonly logger: Logger;
}

type JoinInstances = { readonly ok: true; readonly instances: Instances } | { readonly ok: false; readonly reason: string };

/** Joins the instances on the same database. Refused when its id is in use, or when it cannot read data that the others encrypted or signed. */
export async function joinInstances({ store: { shared }, team, sealer, logger, ...rest }: JoinInstancesOptions): Promise<JoinInstances> {
  if (shared !== null && sealer === null)
    logger.info('SECRETS_KEY is not set, so secrets that are set here can be read by this instance only; set the same one on all');
  const instances = await createInstances({
    ...rest,
    shared,
    keys: { AUTH_SECRET: team === null ? [] : [secretId(team.secret)], SECRETS_KEY: sealer?.keyIds ?? [] },
    log: (level, message, fields) => logger[level](message, fields),
  });
  if (instances === null)
    return {
      ok: false,
      reason: `INSTANCE_ID is "${rest.id}", which another running instance on this database has; give each instance its own, or none.`,
    };
  const [unfit] = await instances.incompatibleKeys();
  if (unfit === undefined) return { ok: true, instances };
  await instances.close();
  return { ok: false, reason: incompatibleKeyReason(unfit) };
}

function incompatibleKeyReason({ use, instance }: { readonly use: string; readonly instance: string }): string {
  return `The instance ${instance} on this database has another key (${use}). Set ${use} to the same value on all instances; for a new key, first set the old one with the new one after it on all, then change their order.`;
}

/** @param drain called before this server stops */
export function createHostInstances(instances: Instances, drain: () => void): HostInstances {
  const { shared, id, others, ask, answer } = instances;
  return {
    list: async () => ({ shared: shared !== null, instances: await instances.list() }),
    id,
    others,
    ask,
    answer,
    async askOthers(kind, payload, waitMs) {
      const answers = await Promise.all(others().map((other) => ask(other, kind, payload, waitMs)));
      return answers.flatMap((one) => (one.ok ? [one.value] : []));
    },
    countAttempt: (name, windowMs) => shared?.attempts.count(name, windowMs) ?? null,
    drain,
  };
}

/** Entry of this server in the list of instances. */
export function reportInstance(host: HostHealth['status'], extensions: readonly ExtensionState[], callsRunning: number): InstanceReport {
  return {
    state: host === 'stopping' ? 'draining' : host === 'starting' ? 'starting' : 'ready',
    ready: extensions.filter((one) => one === 'ready' || one === 'degraded').length,
    failed: extensions.filter((one) => one === 'failed').length,
    callsRunning,
  };
}

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
