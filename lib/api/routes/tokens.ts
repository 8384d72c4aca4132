import type { Audit } from '#lib/accounts/audit.ts';
import { AUDIT_COLUMNS, auditRow } from '#lib/contract/audit-csv.ts';
import { auditExportQuerySchema, auditPageSchema, auditQuerySchema } from '#lib/contract/audit.ts';
import type { AuditSelection } from '#lib/contract/audit.ts';
import { csvLine } from '#lib/contract/csv.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok } from '#lib/contract/result.ts';
import { madeTokenSchema, makeTokenSchema, tokenListSchema, tokenSchema } from '#lib/contract/token.ts';
import { named, route } from '../route.ts';
import { MEMBER, TEAM, withAccounts, withMember } from './accounts.ts';
import { answerLines } from './export-lines.ts';

export const tokenRoutes = [
  route(
    {
      ...TEAM,
      method: 'GET',
      path: '/api/v1/tokens',
      action: 'tokens.manage',
      id: 'listTokens',
      summary: 'Tokens of scripts and agents, newest first, without their texts.',
      tag: 'accounts',
      response: named('TokenList', tokenListSchema),
      problems: ['not_found'],
    },
    withAccounts((_request, accounts) => ok(accounts.tokens.list())),
  ),
  route(
    {
      ...MEMBER,
      method: 'POST',
      path: '/api/v1/tokens',
      action: 'tokens.manage',
      id: 'makeToken',
      summary: 'Make a token; its text is in this response and nowhere else.',
      tag: 'accounts',
      body: named('MakeToken', makeTokenSchema),
      response: named('MadeToken', madeTokenSchema),
      problems: ['not_found', 'not_allowed', 'state_conflict'],
    },
    withMember(({ body }, accounts, who, caller) => accounts.tokens.make(body, who, caller)),
  ),
  route(
    {
      ...MEMBER,
      method: 'DELETE',
      path: '/api/v1/tokens/:id',
      action: 'tokens.manage',
      id: 'revokeToken',
      summary: 'Revoke a token: requests with it are rejected from now on, and its streams end.',
      tag: 'accounts',
      parameter: 'The id of the token.',
      response: named('Token', tokenSchema),
      problems: ['not_found', 'token_not_found'],
    },
    withMember(({ parameter }, accounts, who, caller) => accounts.tokens.revoke(parameter, who, caller)),
  ),
  route(
    {
      ...TEAM,
      method: 'GET',
      path: '/api/v1/audit',
      action: 'audit.read',
      id: 'listAudit',
      summary: 'Who did what, newest first. A page of a search may hold fewer than `limit` and still have a next one.',
      tag: 'accounts',
      query: auditQuerySchema,
      response: named('AuditPage', auditPageSchema),
      problems: ['not_found'],
    },
    withAccounts(({ query }, accounts) => accounts.audit.list(query)),
  ),
  route(
    {
      ...TEAM,
      method: 'GET',
      path: '/api/v1/audit/export',
      action: 'audit.read',
      audit: 'audit.read',
      id: 'exportAudit',
      summary: 'Who did what, as a file: one JSON document a line, or CSV.',
      tag: 'accounts',
      query: auditExportQuerySchema,
      response: { mediaTypes: ['application/x-ndjson', 'text/csv'], description: 'One entry a line; `text/csv` with `format=csv`.' },
      problems: ['not_found'],
    },
    withAccounts(({ query: { format, ...selection }, host }, accounts) =>
      answerLines({ name: 'audit', format, lines: readAudit(accounts.audit, selection, format), logger: host.logger }),
    ),
  ),
];

async function* readAudit(audit: Audit, selection: AuditSelection, format: 'ndjson' | 'csv'): AsyncGenerator<string, undefined> {
  if (format === 'csv') yield csvLine(AUDIT_COLUMNS);
  let cursor: string | null = null;
  do {
    const page = audit.list({ ...selection, limit: LIMITS.listMost, ...(cursor === null ? {} : { cursor }) });
    if (!page.ok) throw new Error(page.problem.detail);
    const { entries } = page.value;
    if (entries.length > 0)
      yield entries.map((entry) => (format === 'csv' ? csvLine(auditRow(entry)) : `${JSON.stringify(entry)}\n`)).join('');
    cursor = page.value.next_cursor;
    await new Promise<void>((resolve) => setImmediate(resolve));
  } while (cursor !== null);
  return undefined;
}
