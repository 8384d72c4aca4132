import { LOCAL_SESSION } from '#lib/contract/local-session.ts';
import { signInSchema } from '#lib/contract/account.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { respond } from '#lib/http/respond.ts';
import { respondAccounts, respondMember, visitorOf } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respond(request, currentHost(), (host) =>
    ok(host.accounts === null ? LOCAL_SESSION : host.accounts.view(visitorOf(request, host).principal)),
  );
}

/** Signs in. */
export function POST(request: Request): Promise<Response> {
  return respondAccounts(request, currentHost(), async (accounts, { member, caller }) => {
    const asked = await readFields(request, signInSchema);
    if (!asked.ok) return asked;
    const signedIn = await accounts.sessions.signIn(asked.value, member, caller);
    return signedIn.ok ? ok({ body: signedIn.value.view, cookies: signedIn.value.cookies }) : signedIn;
  });
}

/** Signs out here. */
export function DELETE(request: Request): Promise<Response> {
  return respondMember(request, currentHost(), async (accounts, member, caller) => {
    const { ended, cookies } = await accounts.sessions.signOut(member, caller);
    return ok({ body: { ended }, cookies });
  });
}
