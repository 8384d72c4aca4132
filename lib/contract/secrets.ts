import * as z from 'zod';
import { LIMITS } from './limits.ts';

/** Named secrets. A value is written and never read: it appears in no response. */

export const secretSchema = z.object({
  name: z.string(),
  /** Ids of the extensions that use it. */
  uses: z.array(z.string()),
  updated_at: z.iso.datetime(),
  /** Null when unknown. */
  updated_by: z.string().nullable(),
  /** False: it was encrypted with a key that this server does not have. Set it again. */
  readable: z.boolean(),
});
export type Secret = z.infer<typeof secretSchema>;

export const secretListSchema = z.object({
  secrets: z.array(secretSchema),
  /** Named by extensions, but not set. */
  missing: z.array(z.object({ name: z.string(), uses: z.array(z.string()) })),
});
export type SecretList = z.infer<typeof secretListSchema>;

export const putSecretSchema = z.strictObject({
  /** Any text without a NUL character. */
  value: z
    .string()
    .min(1)
    .max(LIMITS.secretCharacters)
    .refine((value) => !value.includes('\0'), 'must not contain a NUL character'),
});

const USED = /\$\{secret:([^}:]+)/g;

/** The names in `${secret:NAME}` of a text, each once. */
export function secretsIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(USED)].map(([, name = '']) => name.trim()))];
}

const LIST = /^[ \t]*(?:export[ \t]+)?(?:(?:const|let|var)[ \t]+)?SECRETS\b[^=\n]*=\s*[[(]([^\])]*)[\])]/m;
const QUOTED = /(["'`])([^"'`\n]+)\1/g;

/** The names in the `SECRETS` list of a source: `export const SECRETS = ['API_KEY']`, or `SECRETS = ["API_KEY"]` in Python. */
export function declaredSecrets(source: string): readonly string[] {
  const list = LIST.exec(source)?.[1] ?? '';
  return [...new Set([...list.matchAll(QUOTED)].map(([, , name = '']) => name))].slice(0, LIMITS.secrets);
}
