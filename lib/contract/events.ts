import * as z from 'zod';
import type { EventType } from './event-types.ts';

export { EVENT_TYPES, HEARTBEAT } from './event-types.ts';
export type { EventType } from './event-types.ts';

/** Events contain ids and versions, no data. Clients refetch the named records. */
export const eventDataSchema = z.looseObject({
  snapshot_version: z.number().int(),
  call_id: z.string().optional(),
  tool: z.string().optional(),
  extension: z.string().optional(),
  revision: z.number().int().nullable().optional(),
  status: z.string().optional(),
  group_id: z.string().optional(),
  channel: z.string().optional(),
  message_id: z.string().optional(),
});
export type EventData = z.infer<typeof eventDataSchema>;

/** The query of `GET /events`. */
export const eventsQuerySchema = z.strictObject({
  /** Event types, comma-separated. */
  types: z.string().optional(),
  /** For clients that cannot set the header. */
  last_event_id: z.coerce.number().int().min(0).optional(),
  /** Sends heartbeats as events too: browsers hide comments from pages. */
  heartbeats: z.stringbool({ truthy: ['true'], falsy: ['false'] }).default(false),
});

export interface HostEvent {
  /** Increases by one, also across restarts. */
  readonly id: number;
  readonly type: EventType;
  readonly data: EventData;
}
