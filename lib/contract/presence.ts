import * as z from 'zod';

/** Viewers of a failure's page. In memory only; expires without heartbeats. */

export const PRESENT_DOINGS = ['looking', 'writing'] as const;
export type PresentDoing = (typeof PRESENT_DOINGS)[number];

/** `page` identifies a tab; `gone`: it was closed. */
export const presenceNoteSchema = z.strictObject({
  page: z
    .string()
    .min(8)
    .max(64)
    .regex(/^[\w-]+$/, 'letters, digits, - and _ are accepted'),
  doing: z.enum([...PRESENT_DOINGS, 'gone']),
});
export type PresenceNote = z.infer<typeof presenceNoteSchema>;

export const presentPersonSchema = z.object({
  id: z.string(),
  name: z.string(),
  initials: z.string(),
  doing: z.enum(PRESENT_DOINGS),
});
export type PresentPerson = z.infer<typeof presentPersonSchema>;

/** Other viewers, earliest first. */
export const presenceSchema = z.object({ people: z.array(presentPersonSchema) });
export type Presence = z.infer<typeof presenceSchema>;
