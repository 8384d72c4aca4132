import { infiniteQueryOptions, queryOptions, useQueryClient } from '@tanstack/react-query';
import type { Invite, MemberChange } from '#lib/contract/account.ts';
import type { AuditPage } from '#lib/contract/audit.ts';
import type { ConsentRequest } from '#lib/contract/oauth.ts';
import { API, OAUTH } from '#lib/contract/paths.ts';
import type { MakeToken } from '#lib/contract/token.ts';
import { noCursor } from './queries.ts';
import { readQuery, request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { useServerMutation } from './use-server-mutation.ts';

/* Members, invitations, tokens and audit of a team. No events exist for them, so mutations invalidate them. */

const accountKeys = {
  members: ['members'],
  invitations: ['invitations'],
  tokens: ['tokens'],
  audits: ['audit'],
} as const;

/** API parameters; unset ones are absent. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly q?: string | undefined;
}

export const AUDIT_A_PAGE = 50;

export const accountQueries = {
  members: () => readQuery(accountKeys.members, API.members, SHAPES.memberList),

  invitations: () => readQuery(accountKeys.invitations, API.invitations, SHAPES.invitationList),

  /** @param isAll tokens of everyone; else your own */
  tokens: (isAll: boolean) =>
    readQuery([...accountKeys.tokens, isAll ? 'all' : 'own'], isAll ? API.tokens : API.ownTokens, SHAPES.tokenList),

  /** @param search the authorization request of the client */
  consent: (search: string) =>
    queryOptions({
      queryKey: ['consent', search],
      queryFn: ({ signal }) => request(`${OAUTH.consent}?${search}`, SHAPES.consent, { signal }),
      retry: false,
    }),

  /** Newest first; `fetchNextPage` continues. */
  audit: (filter: AuditFilter) =>
    infiniteQueryOptions({
      queryKey: [...accountKeys.audits, auditSearch(filter)],
      queryFn: ({ signal, pageParam }) => {
        const search = new URLSearchParams(auditSearch(filter));
        search.set('limit', String(AUDIT_A_PAGE));
        if (pageParam !== null) search.set('cursor', pageParam);
        return request(`${API.audit}?${search}`, SHAPES.auditPage, { signal });
      },
      initialPageParam: noCursor(),
      getNextPageParam: (last: AuditPage) => last.next_cursor,
      // Other people may have changed data since.
      staleTime: 0,
    }),
};

/** URL parameters of a filter. */
export function auditSearch(filter: AuditFilter): string {
  return new URLSearchParams(
    Object.entries(filter).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''),
  ).toString();
}

/** Changes the role, or activates or deactivates the account. */
export function useChangeMember() {
  const refresh = useRefresh(accountKeys.members);
  return useServerMutation({
    mutationFn: ({ id, change }: { id: string; change: MemberChange }) =>
      request(API.member(id), SHAPES.member, { method: 'PATCH', body: change }),
    onSettled: refresh,
  });
}

/** Ends all sessions of a member. */
export function useSignOutMember() {
  const refresh = useRefresh(accountKeys.members);
  return useServerMutation({
    mutationFn: (id: string) => request(API.signOutMember(id), SHAPES.member, { method: 'POST' }),
    onSettled: refresh,
  });
}

/** The response has the link, which is shown only once. */
export function useInvite() {
  const refresh = useRefresh(accountKeys.invitations);
  return useServerMutation({
    mutationFn: (body: Invite) => request(API.invitations, SHAPES.invited, { method: 'POST', body }),
    onSettled: refresh,
  });
}

export function useWithdrawInvitation() {
  const refresh = useRefresh(accountKeys.invitations);
  return useServerMutation({
    mutationFn: (id: string) => request(API.invitation(id), SHAPES.invitationList, { method: 'DELETE' }),
    onSettled: refresh,
  });
}

/** The response has the token, which is shown only once. */
export function useMakeToken() {
  const refresh = useRefresh(accountKeys.tokens);
  return useServerMutation({
    mutationFn: (body: MakeToken) => request(API.tokens, SHAPES.madeToken, { method: 'POST', body }),
    onSettled: refresh,
  });
}

/** @param isAny tokens of everyone; else your own */
export function useRevokeToken(isAny: boolean) {
  const refresh = useRefresh(accountKeys.tokens);
  return useServerMutation({
    mutationFn: (id: string) => request(isAny ? API.token(id) : API.ownToken(id), SHAPES.token, { method: 'DELETE' }),
    onSettled: refresh,
  });
}

function useRefresh(queryKey: readonly string[]): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey });
}

export function useDecideConsent() {
  return useServerMutation({
    mutationFn: (body: Omit<ConsentRequest, 'tools'> & { tools?: string[] | null }) =>
      request(OAUTH.consent, SHAPES.consentDecided, { method: 'POST', body }),
  });
}
