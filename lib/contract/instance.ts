import { z } from 'zod';

const INSTANCE_STATES = ['starting', 'ready', 'draining', 'gone'] as const;

/** One running server; several share a PostgreSQL database. */
export const instanceSchema = z.object({
  /** The name of its machine with a random ending; new at each start. */
  id: z.string(),
  started_at: z.iso.datetime(),
  /** The last time it reached the database. */
  last_seen: z.iso.datetime(),
  version: z.string(),
  state: z.enum(INSTANCE_STATES),
  extensions: z.object({ ready: z.number().int(), failed: z.number().int() }),
  calls_running: z.number().int(),
  /** The one that answers this request. */
  is_self: z.boolean(),
});
export type Instance = z.infer<typeof instanceSchema>;

export const instanceListSchema = z.object({
  /** False on SQLite, which serves one instance. */
  shared: z.boolean(),
  instances: z.array(instanceSchema),
});
export type InstanceList = z.infer<typeof instanceListSchema>;
