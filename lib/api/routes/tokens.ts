import type { Member } from '#lib/access/principal.ts';
import type { Accounts } from '#lib/accounts/accounts.ts';
import { AUDIT_COLUMNS, auditRow } from '#lib/contract/csv.ts';
import { auditExportQuerySchema, auditPageSchema, auditQuerySchema } from '#lib/contract/audit.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import { madeTokenSchema, makeTokenSchema, type Token, tokenListSchema, tokenSchema } from '#lib/contract/token.ts';
import { named, routesOf } from '../route.ts';
import { answerLines } from './export-lines.ts';

const route = routesOf({ tag: 'accounts', parameter: 'The id of the token.' });

export const tokenRoutes = [
  route('GET /api/v1/tokens', 'tokens.manage', 'listTokens', {
    summary: 'Tokens of scripts and agents, newest first, without their secrets.',
    needs: 'accounts',
    response: named('TokenList', tokenListSchema),
    handle: async ({ accounts }) => ok(await accounts.tokens.list()),
  }),
  route('POST /api/v1/tokens', 'tokens.manage', 'makeToken', {
    summary: 'Create a token. Its secret is in this response only.',
    needs: 'member',
    body: named('MakeToken', makeTokenSchema),
    response: named('MadeToken', madeTokenSchema),
    problems: ['not_allowed', 'state_conflict'],
    handle: ({ body, accounts, member, caller }) => accounts.tokens.make(body, member, caller),
  }),
  route('DELETE /api/v1/tokens/:id', 'tokens.manage', 'revokeToken', {
    summary: 'Revoke a token: its next request is rejected, and its streams end.',
    needs: 'member',
    response: named('Token', tokenSchema),
    problems: ['token_not_found'],
    handle: ({ parameter, accounts, member, caller }) => accounts.tokens.revoke(parameter, member, caller),
  }),
  route('GET /api/v1/profile/tokens', 'profile.change', 'listMyTokens', {
    summary: 'Your own tokens, and the clients that signed in as you.',
    needs: 'member',
    response: named('TokenList', tokenListSchema),
    handle: async ({ accounts, member }) => ok({ tokens: await tokensOf(accounts, member) }),
  }),
  route('DELETE /api/v1/profile/tokens/:id', 'profile.change', 'revokeMyToken', {
    summary: 'Revoke one of your own tokens or clients.',
    needs: 'member',
    response: named('Token', tokenSchema),
    problems: ['token_not_found'],
    handle: async ({ parameter, accounts, member, caller }) =>
      (await tokensOf(accounts, member)).some(({ id }) => id === parameter)
        ? accounts.tokens.revoke(parameter, member, caller)
        : refuse('token_not_found', `You have no token ${parameter.slice(0, 100)}.`),
  }),
  route('GET /api/v1/audit', 'audit.read', 'listAudit', {
    summary: 'The audit log, newest first. A page of a search may have fewer entries than `limit` and still a next page.',
    needs: 'accounts',
    query: auditQuerySchema,
    response: named('AuditPage', auditPageSchema),
    handle: ({ query, accounts }) => accounts.audit.list(query),
  }),
  route('GET /api/v1/audit/export', 'audit.read', 'exportAudit', {
    summary: 'The audit log as a file: one JSON document per line, or CSV.',
    needs: 'accounts',
    audit: 'audit.read',
    query: auditExportQuerySchema,
    response: { mediaTypes: ['application/x-ndjson', 'text/csv'], description: 'One entry a line; `text/csv` with `format=csv`.' },
    handle: ({ query: { format, ...selection }, host, accounts }) =>
      answerLines({
        name: 'audit',
        format,
        columns: AUDIT_COLUMNS,
        row: auditRow,
        logger: host.logger,
        async read(place) {
          const page = await accounts.audit.list({ ...selection, ...place });
          return page.ok ? ok({ items: page.value.entries, next: page.value.next_cursor }) : page;
        },
      }),
  }),
];

async function tokensOf(accounts: Accounts, { id }: Member): Promise<Token[]> {
  const { tokens } = await accounts.tokens.list();
  return tokens.filter(({ owner }) => owner.id === id);
}
