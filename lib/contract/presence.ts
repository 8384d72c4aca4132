import { z } from 'zod';

/** Who of a team has the page of a failure open. Kept nowhere: whoever says nothing for a while is not there any more. */

export const PRESENT_DOINGS = ['looking', 'writing'] as const;
export type PresentDoing = (typeof PRESENT_DOINGS)[number];

/** `page` tells the tabs of one person apart; `gone`: that page was left. */
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

/** The others, who came first first. */
export const presenceSchema = z.object({ people: z.array(presentPersonSchema) });
export type Presence = z.infer<typeof presenceSchema>;
