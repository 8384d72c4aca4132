import { beforeEach, describe, expect, it } from 'vitest';
import type { Member } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { TokenAnswer } from '#lib/contract/oauth.ts';
import type { OAuthGrantRow, OAuthTokenRow } from '#lib/store/account-store.ts';
import { pkce } from '#lib/testing/oauth-client.ts';
import { oauthRepository } from '#lib/testing/oauth-repository.ts';
import type { AuditedEvent } from './audit-meter.ts';
import { createOAuthTokens, type OAuthTokens } from './oauth-tokens.ts';

const anna: Member = { kind: 'member', id: 'm1', name: 'Anna', email: 'anna@example.org', role: 'operator', sessionId: 's1' };
const CALLER = { address: '10.0.0.1', network: '10.0.0.1', origin: 'https://here.example' };
const CLIENT = { id: 'c1', name: 'Claude', uri: null, host: null, redirectUris: ['https://app.example/callback'] };

let grants: Map<string, OAuthGrantRow>;
let rows: Map<string, OAuthTokenRow>;
let ended: string[];
let audited: AuditedEvent[];
let now: number;
let tokens: OAuthTokens;

beforeEach(() => {
  grants = new Map();
  rows = new Map();
  ended = [];
  audited = [];
  now = 1_000_000;
  const repository = oauthRepository({
    async insertGrant(grant, code) {
      grants.set(grant.id, grant);
      rows.set(code.hash, code);
      return 'stored';
    },
    grant: async (id) => grants.get(id) ?? null,
    async find(hash) {
      const token = rows.get(hash);
      const grant = grants.get(token?.grantId ?? '');
      return token === undefined || grant === undefined ? null : { token, grant };
    },
    async exchange(hash, { at, again }, next, expiresAt) {
      const row = rows.get(hash);
      if (row === undefined || (row.usedAt !== null && row.usedAt <= again)) return false;
      rows.set(hash, { ...row, usedAt: row.usedAt ?? at });
      for (const one of next) rows.set(one.hash, one);
      const grant = grants.get(row.grantId);
      if (grant !== undefined) grants.set(grant.id, { ...grant, expiresAt });
      return true;
    },
    noteUse: async () => undefined,
    async revoke(id, at) {
      const grant = grants.get(id);
      if (grant === undefined || grant.revokedAt !== null) return false;
      grants.set(id, { ...grant, revokedAt: at });
      return true;
    },
  });
  tokens = createOAuthTokens({
    repository,
    audit: { record: (event) => audited.push(event) },
    ownerOf: async () => ({ name: 'Anna', role: 'operator', active: true }),
    ended: (id) => ended.push(id),
    onError: (error) => expect.fail(String(error)),
    now: () => now,
  });
});

async function signIn(): Promise<TokenAnswer> {
  const { verifier, challenge } = pkce();
  const resource = 'https://here.example/mcp';
  const asked = { client: CLIENT, member: anna, role: 'operator', scopes: ['tools.call'], tools: null, resource } as const;
  const granted = await tokens.grant({ ...asked, redirectUri: 'https://app.example/callback', challenge });
  const code = granted.ok ? granted.value.code : '';
  return answerOf(await tokens.exchange({ grant_type: 'authorization_code', client_id: 'c1', code, code_verifier: verifier }, CALLER));
}

const refresh = ({ refresh_token }: TokenAnswer) =>
  tokens.exchange({ grant_type: 'refresh_token', client_id: 'c1', refresh_token }, CALLER);

function answerOf(outcome: Awaited<ReturnType<OAuthTokens['exchange']>>): TokenAnswer {
  if (!outcome.ok) throw new Error(outcome.error.error_description);
  return outcome.value;
}

/** The holder of its access token. */
async function holderOf({ access_token }: TokenAnswer) {
  const found = await tokens.find(access_token);
  if (found.kind !== 'works') throw new Error(found.kind);
  return found.holder;
}

const kindOf = async ({ access_token }: TokenAnswer) => (await tokens.find(access_token)).kind;

it('an access token that expires leaves its streams open until the grant ends', async () => {
  const first = await signIn();
  const holder = await holderOf(first);
  now += LIMITS.oauthAccessMs;
  expect(await kindOf(first)).toBe('expired');
  expect(await tokens.isCurrent(holder)).toBe(true);
  now += LIMITS.oauthGrantMs;
  expect(await tokens.isCurrent(holder)).toBe(false);
});

describe('a refresh token', () => {
  it('works again for half a minute after requests whose access token had expired, because clients refresh once for each', async () => {
    const first = await signIn();
    now += LIMITS.oauthAccessMs;
    expect(await Promise.all([kindOf(first), kindOf(first)])).toEqual(['expired', 'expired']);
    const made = [answerOf(await refresh(first)), answerOf(await refresh(first))];
    now += LIMITS.oauthRefreshAgainMs - 1;
    made.push(answerOf(await refresh(first)));
    expect(new Set(made.map(({ refresh_token }) => refresh_token)).size).toBe(3);
    for (const one of made) expect(await kindOf(one)).toBe('works');
    expect(ended).toEqual([]);
    now += 1;
    expect(await refresh(first)).toMatchObject({ ok: false, error: { error: 'invalid_grant' } });
  });

  it('revokes the grant when it is used again without such requests', async () => {
    const first = await signIn();
    const second = answerOf(await refresh(first));
    expect(await refresh(first)).toMatchObject({ ok: false, error: { error: 'invalid_grant' } });
    expect([await kindOf(first), await kindOf(second)]).toEqual(['revoked', 'revoked']);
    expect(await refresh(second)).toMatchObject({ ok: false, error: { error: 'invalid_grant' } });
    expect(ended).toHaveLength(1);
    expect(audited.at(-1)).toMatchObject({ action: 'clients.reused', outcome: 'refused', detail: { kind: 'refresh' } });
  });
});
