import { auditActorOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import type { Accounts } from '#lib/accounts/accounts.ts';
import type { Action } from '#lib/contract/actions.ts';
import type { AuditDetail } from '#lib/contract/audit.ts';
import type { AuditOutcome } from '#lib/contract/audit-events.ts';
import type { RequestHead } from '../request.ts';
import type { ClientAddress } from './client-address.ts';

/**
 * Writes an audit entry. Route definitions declare those of requests, so no changing route is missed, and handlers add details.
 * Entries about members and tokens are written with their changes, where the names are known.
 */
export type RequestAudit = ReturnType<typeof createRequestAudit>;

export function createRequestAudit(accounts: () => Accounts | null, addressOf: ClientAddress) {
  return (request: RequestHead, principal: Principal, action: Action, target: string | null, outcome: AuditOutcome, detail: AuditDetail) =>
    accounts()?.audit.record({ actor: auditActorOf(principal), action, target, outcome, address: addressOf(request), detail });
}
