import type { IncomingMessage } from 'node:http';
import { isAdministrative, LOCAL_ADMIN, LOCAL_PERSON } from '#lib/access/principal.ts';
import type { Principal } from '#lib/access/principal.ts';
import type { Action } from '#lib/contract/actions.ts';
import { ok } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { AdminGuard } from './admin-token.ts';
import { authoriseLocal } from './authorise-local.ts';
import type { ClientAddress } from './client-address.ts';

/** Tells who sends a request and whether he may; asked by the gate for each request, and by `/mcp` for each message. */
export interface Doorkeeper {
  /** Who it is, when he may. */
  admit(request: IncomingMessage, action: Action, resource: string | null): Result<Principal>;
}

/** Without accounts: whoever reaches this machine, with or without the admin token. */
export function createLocalDoorkeeper(admin: AdminGuard, clientAddress: ClientAddress): Doorkeeper {
  return {
    admit(request, action, resource) {
      const given = request.headers['x-admin-token'];
      const token = Array.isArray(given) ? given.join(',') : given;
      const allowed = authoriseLocal(action, resource, () => admin.check(token, clientAddress(request)));
      return allowed.ok ? ok(isAdministrative(action) ? LOCAL_ADMIN : LOCAL_PERSON) : allowed;
    },
  };
}
