import * as z from 'zod';

/** An isolation level, and whether it is available. */
export const isolationLevelSchema = z.object({
  name: z.enum(['process', 'permissions', 'memory', 'parent_death', 'leftovers', 'network_namespace']),
  is_on: z.boolean(),
  /** Its effect, or why it is unavailable. */
  note: z.string(),
});
export type IsolationLevel = z.infer<typeof isolationLevelSchema>;

/** Server health; before the host exists only `status` and `ready`. */
export const healthSchema = z.object({
  status: z.enum(['ok', 'starting', 'stopping', 'degraded']),
  ready: z.boolean(),
  snapshot_version: z.number().int().optional(),
  extensions: z
    .object({ total: z.number().int(), ready: z.number().int(), degraded: z.number().int(), failed: z.number().int() })
    .optional(),
  storage: z.object({ ok: z.boolean(), reason: z.string().nullable() }).optional(),
  extensions_dir: z.object({ ok: z.boolean(), reason: z.string().nullable() }).optional(),
  isolation: z
    .object({ level: z.string(), detail: z.array(z.string()).readonly(), levels: z.array(isolationLevelSchema).readonly() })
    .optional(),
  /** Extensions that other instances serve and this one does not; `/readyz?strict` answers 503 for them. */
  served_only_elsewhere: z.array(z.string()).optional(),
  uptime_s: z.number().optional(),
});
