import { z } from 'zod';
import { personNameSchema, roleSchema } from './account.ts';
import { LIMITS } from './limits.ts';

/** What scripts and agents of a team sign in with. The token itself is shown once, when it is made. */

export const tokenSchema = z.object({
  id: z.string(),
  /** What its owner calls it. */
  name: z.string(),
  /** How it begins, so that somebody who finds it somewhere can tell which one it is. */
  prefix: z.string(),
  owner: z.object({ id: z.string(), name: z.string() }),
  /** What it was made for. Never more than its owner has now counts: see `effective_role`. */
  role: roleSchema,
  /** What it may now; null when it is of no use any more. */
  effective_role: roleSchema.nullable(),
  /** The tools that it may call; null for any. */
  tools: z.array(z.string()).nullable(),
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
  expires_in_days: z.number().int().min(1).max(LIMITS.tokenDaysMost).default(LIMITS.tokenDays),
});
export type MakeToken = z.infer<typeof makeTokenSchema>;

/** The only time that the token is shown. */
export const madeTokenSchema = tokenSchema.extend({ token: z.string() });
export type MadeToken = z.infer<typeof madeTokenSchema>;
