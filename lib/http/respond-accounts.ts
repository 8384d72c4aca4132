import { STRANGER } from '#lib/access/principal.ts';
import type { Member, Principal } from '#lib/access/principal.ts';
import type { Accounts, Caller } from '#lib/accounts/accounts.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import { networkOf } from './client-address.ts';
import { currentlyAsked } from './current-principal.ts';
import { respondWith } from './respond.ts';
import { API_HEADERS } from './security-headers.ts';

/** Who asks a route of accounts. */
export interface Visitor {
  readonly principal: Principal;
  /** Null: he asks by a token, or has not signed in. */
  readonly member: Member | null;
  readonly caller: Caller;
}

/** What is answered, and which cookies go with it. */
export interface AccountAnswer {
  readonly body: unknown;
  readonly cookies?: readonly string[];
}

/** `respond` for routes that are there only where there are accounts. */
export function respondAccounts(
  request: Request,
  host: Host,
  make: (accounts: Accounts, visitor: Visitor) => Result<AccountAnswer> | Promise<Result<AccountAnswer>>,
): Promise<Response> {
  return respondWith(request, host, async ({ accounts }) => {
    if (accounts === null) return refuse('not_found', 'There are no accounts here; AUTH=team turns them on.');
    const answer = await make(accounts, visitorOf(request, host));
    return answer.ok ? ok(Response.json(answer.value.body, { headers: headersWith(answer.value.cookies ?? []) })) : answer;
  });
}

/** For what only a person does: who is signed in, by a session. */
export function respondMember(
  request: Request,
  host: Host,
  make: (accounts: Accounts, member: Member, caller: Caller) => Result<AccountAnswer> | Promise<Result<AccountAnswer>>,
): Promise<Response> {
  return respondAccounts(request, host, (accounts, { member, caller }) =>
    member === null ? refuse('sign_in_needed', 'This is done by people. Sign in.') : make(accounts, member, caller),
  );
}

export function visitorOf(request: Request, { config }: Host): Visitor {
  const asked = currentlyAsked();
  const principal = asked?.principal ?? STRANGER;
  const address = asked?.address ?? null;
  const origin = config.team?.publicUrl ?? `http://${request.headers.get('host') ?? 'localhost'}`;
  return {
    principal,
    member: principal.kind === 'member' ? principal : null,
    caller: { address, network: networkOf(address ?? ''), origin },
  };
}

export function headersWith(cookies: readonly string[], more: Readonly<Record<string, string>> = {}): Headers {
  const headers = new Headers({ ...API_HEADERS, ...more });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return headers;
}
