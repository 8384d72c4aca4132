import * as z from 'zod';
import { roleSchema } from './account.ts';
import { type Action, ACTIONS } from './actions.ts';
import { LIMITS } from './limits.ts';

/** OAuth for clients of `/mcp`: names of RFC 6749, 7591, 8414, 8707 and 9728. */

/** Actions of all methods of `/mcp`. */
export const AGENT_SCOPES = [
  'mcp.connect',
  'tools.read',
  'tools.call',
  'calls.cancel',
  'resources.read',
  'saved_calls.read',
  'servers.use',
  'events.read',
] as const satisfies readonly Action[];

const text = z.string().max(LIMITS.oauthUrlLength);

/** Parameters of an authorization request; unknown ones are ignored. All are checked later, since each fault has its own answer. */
export const authorizeQuerySchema = z.looseObject({
  client_id: text.optional(),
  redirect_uri: text.optional(),
  response_type: text.optional(),
  code_challenge: text.optional(),
  code_challenge_method: text.optional(),
  scope: z.string().max(4_096).optional(),
  state: text.optional(),
  resource: text.optional(),
});
export type AuthorizeQuery = z.infer<typeof authorizeQuerySchema>;

/** The consent of a person, with the request as the client sent it. */
export const consentViewSchema = z.object({
  client: z.object({
    id: z.string(),
    name: z.string(),
    /** Proven by its metadata document; null for a registered client. */
    host: z.string().nullable(),
    uri: z.string().nullable(),
  }),
  /** Where the browser goes afterwards: host, or scheme of an application. */
  redirect: z.string(),
  is_on_this_computer: z.boolean(),
  resource: z.string(),
  /** Roles that the person may grant, each with the resulting permissions. */
  roles: z.array(z.object({ role: roleSchema, scopes: z.array(z.enum(Object.keys(ACTIONS) as [keyof typeof ACTIONS])) })),
  /** The least that covers the request. */
  suggested: roleSchema,
});
export type ConsentView = z.infer<typeof consentViewSchema>;

export const consentRequestSchema = z.strictObject({
  request: authorizeQuerySchema,
  allow: z.boolean(),
  role: roleSchema.optional(),
  tools: z.array(z.string().min(1).max(LIMITS.nameLength)).min(1).max(LIMITS.tokenTools).nullable().default(null),
});
export type ConsentRequest = z.infer<typeof consentRequestSchema>;

/** The client's address for the browser, with the code or the refusal. */
export const consentDecidedSchema = z.object({ redirect_to: z.string() });
export type ConsentDecided = z.infer<typeof consentDecidedSchema>;

const redirectUriSchema = z.string().min(1).max(LIMITS.oauthUrlLength);
const lenientUrl = z
  .url({ protocol: /^https?$/ })
  .max(LIMITS.oauthUrlLength)
  .optional()
  .catch(undefined);

/** Metadata of a client that matter here. */
export const clientMetadataSchema = z.looseObject({
  redirect_uris: z.array(redirectUriSchema).min(1).max(LIMITS.oauthRedirects),
  client_name: z
    .string()
    .transform((name) =>
      name
        .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
        .trim()
        .slice(0, LIMITS.personNameLength)
        // Half a character.
        .replace(/\p{Cs}$/u, ''),
    )
    .optional()
    .catch(undefined),
  client_uri: lenientUrl,
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});
export type ClientMetadata = z.infer<typeof clientMetadataSchema>;

export const clientDocumentSchema = clientMetadataSchema.extend({
  client_id: z.string(),
  client_secret: z.undefined().optional(),
  token_endpoint_auth_method: z.string().optional(),
});

/** An error of OAuth, for the client. */
export interface OAuthError {
  readonly error:
    | 'invalid_request'
    | 'invalid_client'
    | 'invalid_grant'
    | 'invalid_scope'
    | 'invalid_target'
    | 'access_denied'
    | 'unauthorized_client'
    | 'unsupported_grant_type'
    | 'unsupported_response_type'
    | 'invalid_redirect_uri'
    | 'invalid_client_metadata'
    | 'slow_down'
    | 'server_error';
  readonly error_description: string;
}

export const tokenAnswerSchema = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.number().int(),
  refresh_token: z.string(),
  scope: z.string(),
});
export type TokenAnswer = z.infer<typeof tokenAnswerSchema>;
