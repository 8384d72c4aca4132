import * as z from 'zod';
import { personNameSchema, roleSchema } from './account.ts';
import { LIMITS } from './limits.ts';

/** API tokens. The token itself is shown once, on creation. */

export const tokenSchema = z.object({
  id: z.string(),
  /** Name. */
  name: z.string(),
  /** The client that signed in by OAuth; null for a token made by hand. `host` proves who it is; null if nothing does. */
  client: z.object({ id: z.string(), host: z.string().nullable(), scopes: z.array(z.string()) }).nullable(),
  /** Prefix, to identify a leaked token. */
  prefix: z.string(),
  owner: z.object({ id: z.string(), name: z.string() }),
  /** Assigned role, limited by the owner: see `effective_role`. */
  role: roleSchema,
  /** Current role; null if unusable. */
  effective_role: roleSchema.nullable(),
  /** Allowed tools; null for all. */
  tools: z.array(z.string()).nullable(),
  /** The toolset that it is limited to; null for none. */
  toolset: z.string().nullable(),
  state: z.enum(['active', 'expired', 'revoked', 'owner_inactive']),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /** To the minute; null: never. */
  last_used_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
});
export type Token = z.infer<typeof tokenSchema>;

export const tokenListSchema = z.object({ tokens: z.array(tokenSchema) });
export type TokenList = z.infer<typeof tokenListSchema>;

export const makeTokenSchema = z.strictObject({
  name: personNameSchema,
  role: roleSchema,
  tools: z.array(z.string().min(1).max(LIMITS.nameLength)).min(1).max(LIMITS.tokenTools).nullable().default(null),
  /** Works at `/mcp/{toolset}` only. */
  toolset: z.string().min(1).max(LIMITS.nameLength).nullable().default(null),
  expires_in_days: z.number().int().min(1).max(LIMITS.tokenDaysMost).default(LIMITS.tokenDays),
});
export type MakeToken = z.infer<typeof makeTokenSchema>;

/** Shown once. */
export const madeTokenSchema = tokenSchema.extend({ token: z.string() });
export type MadeToken = z.infer<typeof madeTokenSchema>;
