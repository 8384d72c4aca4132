import { z } from 'zod';
import type { EventType } from './event-types.ts';

export { EVENT_TYPES, HEARTBEAT } from './event-types.ts';
export type { EventType } from './event-types.ts';

/** Events are hints: ids and versions, never data. A client refetches what they name. */
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
  /** Only these, comma-separated. */
  types: z.string().optional(),
  /** For a first connection, where the header cannot be set. */
  last_event_id: z.coerce.number().int().min(0).optional(),
  /** Sends the heartbeat as an event as well: a browser shows a page no comments. */
  heartbeats: z.stringbool({ truthy: ['true'], falsy: ['false'] }).default(false),
});

export interface HostEvent {
  /** Grows by one; goes on growing over a restart. */
  readonly id: number;
  readonly type: EventType;
  readonly data: EventData;
}
