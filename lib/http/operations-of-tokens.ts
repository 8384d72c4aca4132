import type { Operation } from './operation.ts';

const of = { tag: 'accounts' } as const;

export const TOKEN_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /api/v1/tokens': {
    ...of,
    id: 'listTokens',
    summary: 'Tokens of scripts and agents, newest first, without their texts.',
    answer: 'TokenList',
    problems: ['not_found'],
  },
  'POST /api/v1/tokens': {
    ...of,
    id: 'makeToken',
    summary: 'Make a token; its text is in this answer and nowhere else.',
    body: 'MakeToken',
    answer: 'MadeToken',
    problems: ['not_found', 'not_allowed', 'state_conflict'],
  },
  'DELETE /api/v1/tokens/:id': {
    ...of,
    id: 'revokeToken',
    summary: 'Revoke a token: it works no more from now on, and its streams end.',
    parameter: 'The id of the token.',
    answer: 'Token',
    problems: ['not_found', 'token_not_found'],
  },
  'GET /api/v1/audit': {
    ...of,
    id: 'listAudit',
    summary: 'Who did what, newest first. A page of a search may hold less than `limit` and still have a next one.',
    query: 'audit',
    answer: 'AuditPage',
    problems: ['not_found'],
  },
  'GET /api/v1/audit/export': {
    ...of,
    id: 'exportAudit',
    summary: 'Who did what, as a file: one JSON document a line, or CSV.',
    query: 'auditExport',
    answer: { mediaTypes: ['application/x-ndjson', 'text/csv'], description: 'One entry a line; `text/csv` with `format=csv`.' },
    problems: ['not_found'],
  },
};
