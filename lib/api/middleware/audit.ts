import { auditActorOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import type { Accounts } from '#lib/accounts/accounts.ts';
import type { Action } from '#lib/contract/actions.ts';
import type { AuditDetail } from '#lib/contract/audit.ts';
import type { AuditOutcome } from '#lib/contract/audit-events.ts';
import { headOf } from '../request.ts';
import type { ApiContext, RequestHead } from '../request.ts';
import type { Route } from '../route.ts';
import type { ClientAddress } from './client-address.ts';

/**
 * Writes the audit entries of requests: route definitions declare them, so no changing route is missed. Handlers add details.
 * Entries about members and tokens are written with their changes, where the names are known.
 */
export interface RequestAudit {
  /** An entry without a request. */
  record(
    request: RequestHead,
    principal: Principal,
    action: Action,
    target: string | null,
    outcome: AuditOutcome,
    detail: AuditDetail,
  ): void;
  /** The entry of a completed request, if its route declares one. */
  recordAnswered(route: Route, context: ApiContext, answered: Response): void;
}

export function createRequestAudit(accounts: () => Accounts | null, addressOf: ClientAddress): RequestAudit {
  const record: RequestAudit['record'] = (request, principal, action, target, outcome, detail) =>
    accounts()?.audit.record({ actor: auditActorOf(principal), action, target, outcome, address: addressOf(request), detail });

  return {
    record,
    recordAnswered(route, context, answered) {
      const { audited, parameter, principal, noted } = context.var;
      if (audited === null) return;
      const status = context.env?.outgoing?.statusCode ?? answered.status;
      const outcome = status < 400 ? 'done' : status === 401 || status === 403 ? 'refused' : 'failed';
      record(headOf(context), principal, audited, parameter === '' ? null : parameter, outcome, {
        request: `${route.method} ${route.path}`,
        ...(outcome === 'done' ? {} : { status }),
        ...noted,
      });
    },
  };
}
