import * as z from 'zod';

export const NEW_KINDS = ['tool', 'tools', 'channel', 'mcp'] as const;
export type NewKind = (typeof NEW_KINDS)[number];

export const newExtensionSchema = z.strictObject({
  kind: z.enum(NEW_KINDS),
  name: z.string().min(1).max(200),
  language: z.enum(['typescript', 'python']).default('typescript'),
});
export type NewExtension = z.output<typeof newExtensionSchema>;

/** The new extension's id and files, relative to the extensions folder; the first is the one to open. */
export const newExtensionMadeSchema = z.object({ id: z.string(), files: z.array(z.string()) });
export type NewExtensionMade = z.infer<typeof newExtensionMadeSchema>;
