import type { ServerToken, TokenAsk } from '#lib/contract/servers.ts';
import { fetchLeniently } from './lenient-transport.ts';
import { signInNeeded } from './server-errors.ts';
import type { HostLink } from './host-link.ts';

/**
 * Access tokens for a server at a URL, which the host stores and renews. This process has only those of its own server. What can go
 * wrong: the server refuses a token (the host is asked for another one, once), asks for more permissions, or nobody has signed in
 * (the request fails, and says what to do).
 */
export interface ServerTokens {
  /** Requests of one member; '' for the server's own sign-in, `*` for that of any member. */
  fetchAs(member: string): typeof fetchLeniently;
  /** When the member signed in. Rejects with what to do if the member has not. */
  since(member: string): Promise<number | null>;
  /** The host's answer. */
  onToken(id: number, payload: Buffer): void;
  /** Why the last request was refused; null if it was not. */
  refusal(): string | null;
}

/** Shorter than the lifetime of any token, so that the end of a sign-in is noticed. */
const CACHED_MS = 5_000;

export function createServerTokens(link: HostLink): ServerTokens {
  const waiting = new Map<number, (token: ServerToken) => void>();
  const cached = new Map<string, { readonly token: ServerToken; readonly until: number }>();
  let lastId = 0;
  let refusal: string | null = null;

  const ask = (asked: TokenAsk): Promise<ServerToken> => {
    const id = (lastId += 1);
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      link.send({ type: 'token', id }, JSON.stringify(asked));
    });
  };

  const current = async (member: string): Promise<ServerToken> => {
    const known = cached.get(member);
    if (known !== undefined && known.until > performance.now()) return known.token;
    const token = await ask({ member, refused: null, scope: null });
    // The absence of a token is cached too: most servers need no sign-in, and one that does refuses the request, which then asks again.
    cached.set(member, { token, until: performance.now() + CACHED_MS });
    return token;
  };

  return {
    fetchAs: (member) => async (url, init) => {
      const { token } = await current(member);
      const answer = await fetchLeniently(url, withToken(init, token));
      const challenge = challengeOf(answer, token);
      if (challenge === null) return answer;
      cached.delete(member);
      const next = await ask({ member, refused: token, scope: challenge.scope, isRefused: true });
      if (next.token !== null && next.token !== token) {
        await answer.body?.cancel();
        const second = await fetchLeniently(url, withToken(init, next.token));
        if (challengeOf(second, next.token) === null) return second;
        await second.body?.cancel();
      } else await answer.body?.cancel();
      refusal =
        next.why ??
        'The server refuses the sign-in: its token may be for another address. Press Connect on the page of the extension again.';
      throw signInNeeded(refusal);
    },
    async since(member) {
      const known = await current(member);
      // A person may have signed in meanwhile.
      const { token, since, why } = known.token === null ? await ask({ member, refused: null, scope: null }) : known;
      if (token === null) throw signInNeeded(why ?? 'Sign in at the server first.');
      return since;
    },
    onToken(id, payload) {
      const resolve = waiting.get(id);
      waiting.delete(id);
      // From the host, so it is trusted.
      resolve?.(JSON.parse(payload.toString('utf8')) as ServerToken);
    },
    refusal: () => refusal,
  };
}

function withToken(init: RequestInit | undefined, token: string | null): RequestInit | undefined {
  if (token === null) return init;
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

/** The OAuth challenge of a refusal; null if there is none. */
function challengeOf({ status, headers }: Response, token: string | null): { readonly scope: string | null } | null {
  const challenge = headers.get('www-authenticate') ?? '';
  const isBearer = /\bbearer\b/i.test(challenge);
  if (status === 401 && (isBearer || token !== null)) return { scope: null };
  if (status !== 403 || !isBearer || !/error="?insufficient_scope/i.test(challenge)) return null;
  return { scope: /scope="([^"]*)"/i.exec(challenge)?.[1] ?? null };
}
