import type { Accounts } from '#lib/accounts/accounts.ts';
import type { HostConfig } from '#lib/host/config.ts';
import { createAdminGuard } from './admin-token.ts';
import type { ClientAddress } from './client-address.ts';
import { createLocalDoorkeeper } from './doorkeeper.ts';
import type { Doorkeeper } from './doorkeeper.ts';
import { createTeamDoorkeeper } from './team-doorkeeper.ts';

/** @param accounts of the host; null until it is made */
export function createDoorkeeper(
  { adminToken, team }: Pick<HostConfig, 'adminToken' | 'team'>,
  clientAddress: ClientAddress,
  accounts: () => Accounts | null,
): Doorkeeper {
  const admin = createAdminGuard(adminToken);
  if (team === null) return createLocalDoorkeeper(admin, clientAddress);
  return createTeamDoorkeeper({ admin, hasAdminToken: adminToken !== null, clientAddress, accounts });
}
