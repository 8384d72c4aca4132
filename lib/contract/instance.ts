import * as z from 'zod';

const INSTANCE_STATES = ['starting', 'ready', 'draining', 'gone'] as const;

/** Why a file of the extensions folder is not copied to other instances. */
export const LOCAL_REASONS = ['hidden', 'packages', 'link', 'large', 'special', 'deep', 'many'] as const;

export const localFileSchema = z.object({
  /** Relative to the extensions folder; a folder stands for all its files. */
  path: z.string(),
  /**
   * `hidden`: its name begins with a dot; `packages`: installed ones; `link`: a symbolic link; `large`: above 1 MiB; `special`: no
   * file, or not readable; `deep`: more than 12 folders deep; `many`: beyond 20,000 files.
   */
  reason: z.enum(LOCAL_REASONS),
});
export type LocalFile = z.infer<typeof localFileSchema>;

/** One running server; several share a PostgreSQL database. */
export const instanceSchema = z.object({
  /** `INSTANCE_ID`, or host name and process id; with a random suffix if a running instance has the same id. */
  id: z.string(),
  started_at: z.iso.datetime(),
  /** The last time it reached the database. */
  last_seen: z.iso.datetime(),
  version: z.string(),
  state: z.enum(INSTANCE_STATES),
  extensions: z.object({ ready: z.number().int(), failed: z.number().int() }),
  calls_running: z.number().int(),
  /** Files of its extensions folder that stay on it: the first 200; none on SQLite, where nothing is shared. */
  local_files: z.array(localFileSchema),
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
