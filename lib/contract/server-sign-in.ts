import * as z from 'zod';

/** The sign-in of Switchboard, or of one of its members, at an MCP server. */
export const serverSignInSchema = z.object({
  /** `server`: one sign-in for all callers; `member`: one for each. */
  auth: z.enum(['server', 'member']),
  /** `none`: the server has not requested a sign-in. `needed`: it has, or it refused the last one. */
  state: z.enum(['none', 'needed', 'connected']),
  /** Scopes that the server has requested since; reconnecting requests them. */
  missing_scope: z.string().nullable(),
  /** Why the last sign-in failed. */
  problem: z.string().nullable(),
  /** Name of the person who signed in. */
  by: z.string().nullable(),
  since: z.iso.datetime().nullable(),
});
export type ServerSignIn = z.infer<typeof serverSignInSchema>;

export const signInBegunSchema = z.object({ authorization_url: z.url() });
export type SignInBegun = z.infer<typeof signInBegunSchema>;

/** The response to a process that requests a token. */
export const serverTokenSchema = z.object({
  token: z.string().nullable(),
  /** Time of the sign-in; connections of an earlier one are no longer used. */
  since: z.number().nullable(),
  /** Why there is no token. */
  why: z.string().nullable(),
});
export type ServerToken = z.infer<typeof serverTokenSchema>;

/** A token request of a process. */
export const tokenAskSchema = z.object({
  /** '' for the token of the server, `*` for the token of any member. */
  member: z.string().max(100),
  /** The server refused this one. */
  refused: z.string().max(16_384).nullable(),
  /** The server requires more scopes (`insufficient_scope`). */
  scope: z.string().max(4_096).nullable(),
  /** The server has refused a request, perhaps one without a token. */
  isRefused: z.boolean().optional(),
});
export type TokenAsk = z.infer<typeof tokenAskSchema>;

/** Switchboard as a client of other authorization servers. */
export function ownClientMetadata(callback: string) {
  return {
    client_name: 'Switchboard',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}
