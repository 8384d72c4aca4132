import type { IncomingMessage } from 'node:http';
import { authorize } from '#lib/access/authorize.ts';
import { auditActorOf } from '#lib/access/actor-of.ts';
import { isAdministrative, KEY_HOLDER, STRANGER } from '#lib/access/principal.ts';
import type { Principal } from '#lib/access/principal.ts';
import type { Accounts } from '#lib/accounts/accounts.ts';
import type { Action } from '#lib/contract/actions.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { AdminGuard } from './admin-token.ts';
import { createBearerGuard } from './bearer.ts';
import { networkOf } from './client-address.ts';
import type { ClientAddress } from './client-address.ts';
import type { Doorkeeper } from './doorkeeper.ts';

/**
 * With accounts: a token of the API, else the session that a cookie names, else the admin token, else nobody. What can go wrong:
 * - a request brings several: what it says in `Authorization` was meant, so a token that does not count is refused and nothing
 *   else is looked at; the admin token is asked only for what the person himself may not;
 * - cookies are shared by all ports of a name, so any program there may send any text as ours: only one that this server signed
 *   counts (lib/accounts/session-cookie.ts);
 * - before the accounts are open nobody can be told from anybody: then only what is open to all is answered.
 */
export interface TeamDoorkeeperOptions {
  readonly admin: AdminGuard;
  readonly hasAdminToken: boolean;
  readonly clientAddress: ClientAddress;
  /** Null until the host is made. */
  accounts(): Accounts | null;
}

export function createTeamDoorkeeper({ admin, hasAdminToken, clientAddress, accounts }: TeamDoorkeeperOptions): Doorkeeper {
  const bearer = createBearerGuard({
    find: (text) => accounts()?.tokens.find(text) ?? { kind: 'unknown', token: null },
    addressOf: clientAddress,
    onWrong({ kind, token }, request) {
      const actor = token === null ? auditActorOf(STRANGER) : { kind: 'token' as const, ...token };
      const address = clientAddress(request);
      accounts()?.audit.record({ actor, action: 'tokens.refused', target: null, outcome: 'refused', address, detail: { why: kind } });
    },
  });
  const identify = (request: IncomingMessage, known: Accounts): Result<Principal> =>
    bearer.check(request) ?? ok(known.memberOf(request.headers.cookie) ?? STRANGER);

  /** Of what is administrative, what is refused is written down too. */
  const refusing = (
    request: IncomingMessage,
    by: Principal,
    action: Action,
    target: string | null,
    refused: Result<never>,
  ): Result<never> => {
    if (isAdministrative(action) && !refused.ok) {
      const detail = { code: refused.problem.code };
      accounts()?.audit.record({ actor: auditActorOf(by), action, target, outcome: 'refused', address: clientAddress(request), detail });
    }
    return refused;
  };

  return {
    admit(request, action, resource) {
      const known = accounts();
      if (known === null) {
        return authorize(STRANGER, action, resource).allowed
          ? ok(STRANGER)
          : refuse('not_ready', 'The server is starting. Try again in a second.', { retryAfter: 1 });
      }
      const identified = identify(request, known);
      if (!identified.ok) return identified;
      const principal = identified.value;
      const decision = authorize(principal, action, resource);
      if (decision.allowed) return ok(principal);
      const given = request.headers['x-admin-token'];
      if (given === undefined || !hasAdminToken)
        return refusing(request, principal, action, resource, refusalFor(principal, action, decision.missing));
      const proven = admin.check(String(given), networkOf(clientAddress(request)));
      if (!proven.ok) return refusing(request, principal, action, resource, proven);
      const withKey = authorize(KEY_HOLDER, action, resource);
      if (withKey.allowed) return ok(KEY_HOLDER);
      return refusing(request, principal, action, resource, refusalFor(principal, action, decision.missing));
    },
  };
}

/** 401 for who can sign in, 403 for who has. */
export function refusalFor(principal: Principal, action: Action, missing: string): Result<never> {
  return refuse(principal.kind === 'stranger' ? 'sign_in_needed' : 'not_allowed', missing, { extra: { action, missing } });
}
