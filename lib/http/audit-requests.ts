import type { IncomingMessage, ServerResponse } from 'node:http';
import { auditActorOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import type { Accounts } from '#lib/accounts/accounts.ts';
import type { Action } from '#lib/contract/actions.ts';
import type { AuditDetail, AuditOutcome } from '#lib/contract/audit.ts';
import type { ClientAddress } from './client-address.ts';
import type { AskedNow } from './current-principal.ts';
import type { Route } from './routes.ts';

/**
 * Writes down what came of administrative requests, in one place for all routes: what is administrative stands in the table of
 * routes, so none that changes anything can be forgotten. Which it was for some bodies only, the handler says, and so what is to be known beside it.
 * What is done to people and tokens is written by what does it, as it knows the names.
 */
export interface RequestAudit {
  /** Told before a request is answered by Next. */
  watch(response: ServerResponse, request: IncomingMessage, route: Route, target: string | null, asked: AskedNow): void;
  /** What came of something that is no request of its own. */
  tell(
    request: IncomingMessage,
    principal: Principal,
    action: Action,
    target: string | null,
    outcome: AuditOutcome,
    detail: AuditDetail,
  ): void;
}

const BY_THEMSELVES = /^(?:session|profile|members|tokens)\./;

export function createRequestAudit(accounts: () => Accounts | null, addressOf: ClientAddress): RequestAudit {
  const tell: RequestAudit['tell'] = (request, principal, action, target, outcome, detail) =>
    accounts()?.audit.record({ actor: auditActorOf(principal), action, target, outcome, address: addressOf(request), detail });

  return {
    tell,
    watch(response, request, route, target, asked) {
      if (route.access === 'admin' && route.method !== 'GET' && !BY_THEMSELVES.test(route.action)) asked.audited = route.action;
      response.once('finish', () => {
        if (asked.audited === null) return;
        const { statusCode } = response;
        const outcome = statusCode < 400 ? 'done' : statusCode === 401 || statusCode === 403 ? 'refused' : 'failed';
        tell(request, asked.principal, asked.audited, target, outcome, {
          request: `${route.method} ${route.path}`,
          ...(outcome === 'done' ? {} : { status: statusCode }),
          ...asked.detail,
        });
      });
    },
  };
}
