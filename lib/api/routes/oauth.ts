import { scopesOf } from '#lib/access/authorize.ts';
import { AGENT_SCOPES, authorizeQuerySchema, consentDecidedSchema, consentRequestSchema, consentViewSchema } from '#lib/contract/oauth.ts';
import type { OAuthError } from '#lib/contract/oauth.ts';
import { MCP_PATH, OAUTH, PAGES } from '#lib/contract/paths.ts';
import type { Result } from '#lib/contract/result.ts';
import { answer, answerJson } from '../answer.ts';
import { parseJsonBody } from '../middleware/json-body.ts';
import { readBody, searchOf } from '../middleware/validation.ts';
import type { ApiRequest } from '../request.ts';
import { ANY_FIELDS, named, type Route, routesOf } from '../route.ts';

/** OAuth 2.1 for clients of `/mcp`, with accounts. Errors are those of the RFCs, not problem documents. */
const route = routesOf({ tag: 'accounts', parameter: 'The name of the toolset.' });
const JSON_ANSWER = { mediaTypes: ['application/json'], description: 'JSON as the RFC defines it.' } as const;

export const oauthRoutes: readonly Route[] = [
  metadata(`GET ${OAUTH.protectedResource}`, 'getProtectedResource', describeResource),
  metadata(`GET ${OAUTH.protectedResource}${MCP_PATH}`, 'getMcpResource', describeResource),
  metadata(`GET ${OAUTH.protectedResource}${MCP_PATH}/:toolset`, 'getToolsetResource', describeResource),
  metadata(`GET ${OAUTH.server}`, 'getAuthorizationServer', describeServer),
  metadata(`GET ${OAUTH.server}${MCP_PATH}`, 'getMcpAuthorizationServer', describeServer),
  route(`POST ${OAUTH.register}`, 'session.begin', 'registerClient', {
    summary: 'Register an OAuth client (RFC 7591). It is removed after a day without use.',
    needs: 'accounts',
    readsBody: true,
    body: ANY_FIELDS,
    hidden: true,
    response: JSON_ANSWER,
    handle: async ({ context, accounts, caller }) => {
      const bytes = await readBody(context.env.incoming);
      const json = bytes.ok ? parseJsonBody(bytes.value) : null;
      const outcome = await accounts.oauth.clients.register(json?.ok === true ? json.value : null, caller);
      return outcome.ok ? answerPlain(201, outcome.value) : answerError(outcome);
    },
  }),
  route(`GET ${OAUTH.authorize}`, 'session.begin', 'authorizeClient', {
    summary: 'The authorization endpoint for the browser. Opens the consent page, or returns to the client with an error.',
    needs: 'accounts',
    openedFromElsewhere: true,
    hidden: true,
    query: authorizeQuerySchema,
    response: { redirects: 'To the consent page, or to the client.' },
    handle: async ({ context, query, header, accounts, member, caller }) => {
      const checked = await accounts.oauth.requests.check(query, member !== null, caller);
      const consent = `${PAGES.consent}?${searchOf(context.env.incoming)}`;
      const isPerson = header('accept')?.includes('text/html') === true;
      if (checked.kind === 'refused' && !isPerson) return answerError(checked);
      return answer(303, null, { location: checked.kind === 'returned' ? checked.to : consent });
    },
  }),
  route(`GET ${OAUTH.consent}`, 'clients.connect', 'getConsent', {
    summary: 'The request of a client to the signed-in person. The query is that of the authorization request.',
    needs: 'member',
    query: authorizeQuerySchema,
    response: named('Consent', consentViewSchema),
    problems: ['request_malformed'],
    handle: ({ query, accounts, member, caller }) => accounts.oauth.requests.look(query, member, caller),
  }),
  route(`POST ${OAUTH.consent}`, 'clients.connect', 'decideConsent', {
    summary: 'Allow or deny a client; returns the URL for the browser.',
    needs: 'member',
    audit: null,
    body: named('ConsentRequest', consentRequestSchema),
    response: named('ConsentDecided', consentDecidedSchema),
    problems: ['request_malformed', 'not_allowed', 'state_conflict'],
    handle: ({ body, accounts, member, caller }) => accounts.oauth.requests.decide(body, member, caller),
  }),
  route(`POST ${OAUTH.token}`, 'session.begin', 'exchangeToken', {
    summary: 'Exchange a code or refresh token (RFC 6749) for tokens.',
    needs: 'accounts',
    readsBody: true,
    form: true,
    hidden: true,
    response: JSON_ANSWER,
    handle: async ({ context, accounts, caller }) => {
      const form = await readForm(context);
      if (form instanceof Response || !form.ok) return form;
      const outcome = await accounts.oauth.tokens.exchange(form.value, caller);
      return outcome.ok ? answerPlain(200, outcome.value) : answerError(outcome);
    },
  }),
  route(`POST ${OAUTH.revoke}`, 'session.begin', 'revokeOwnToken', {
    summary: 'Revoke a token of a client (RFC 7009), with the complete grant.',
    needs: 'accounts',
    readsBody: true,
    form: true,
    hidden: true,
    response: JSON_ANSWER,
    handle: async ({ context, accounts, caller }) => {
      const form = await readForm(context);
      if (form instanceof Response || !form.ok) return form;
      await accounts.oauth.tokens.giveUp(form.value, caller);
      return answerPlain(200, {});
    },
  }),
];

function metadata(address: `GET /${string}`, id: string, describe: (origin: string, path: string) => object): Route {
  return route(address, 'session.begin', id, {
    summary: 'Metadata for OAuth clients of `/mcp` (RFC 9728, RFC 8414).',
    needs: 'accounts',
    hidden: true,
    response: JSON_ANSWER,
    handle: ({ parameter, caller }) => {
      const path = parameter === '' ? MCP_PATH : `${MCP_PATH}/${parameter}`;
      return answerPlain(200, describe(caller.origin, path), 'public, max-age=60');
    },
  });
}

function describeResource(origin: string, path: string): object {
  return {
    resource: `${origin}${path}`,
    authorization_servers: [origin],
    scopes_supported: AGENT_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Switchboard',
  };
}

function describeServer(origin: string): object {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}${OAUTH.authorize}`,
    token_endpoint: `${origin}${OAUTH.token}`,
    registration_endpoint: `${origin}${OAUTH.register}`,
    revocation_endpoint: `${origin}${OAUTH.revoke}`,
    scopes_supported: scopesOf('admin'),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** A repeated field is invalid (RFC 6749). */
async function readForm(context: ApiRequest['context']): Promise<Result<Readonly<Record<string, string>>> | Response> {
  const bytes = await readBody(context.env.incoming);
  if (!bytes.ok) return bytes;
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(bytes.value.toString('utf8'))) {
    const error_description = `The field "${name.slice(0, 60)}" is given twice. Give it once.`;
    if (fields.has(name)) return answerError({ error: { error: 'invalid_request', error_description } });
    if (value !== '') fields.set(name, value);
  }
  return { ok: true, value: Object.fromEntries(fields) };
}

function answerError({ error, retryAfter }: { readonly error: OAuthError; readonly retryAfter?: number }): Response {
  const status = error.error === 'invalid_client' ? 401 : error.error === 'slow_down' ? 429 : 400;
  const answered = answerPlain(status, error);
  if (retryAfter !== undefined) answered.headers.set('retry-after', String(retryAfter));
  return answered;
}

function answerPlain(status: number, value: object, cache = 'no-store'): Response {
  return answerJson(status, JSON.stringify(value), { 'cache-control': cache });
}
