import { z } from 'zod';
import { EXTENSION_KINDS, EXTENSION_RUNTIMES, EXTENSION_STATES } from './extension-states.ts';
import { failureSchema } from './failure.ts';

export { EXTENSION_KINDS, EXTENSION_STATES } from './extension-states.ts';

/**
 * One extension as everybody outside sees it.
 * `revision` is the newest that was tried, `serving_revision` the one that answers calls; they differ while `degraded`
 * (or pinned). `path` is relative to the extensions folder.
 */
export const extensionSchema = z.object({
  id: z.string(),
  kind: z.enum(EXTENSION_KINDS),
  runtime: z.enum(EXTENSION_RUNTIMES),
  state: z.enum(EXTENSION_STATES),
  /** There while it is `disabled`: whether a person switched it off, or `"disabled": true` in its own file. */
  disabled_by: z.enum(['person', 'file']).optional(),
  revision: z.number().int().nullable(),
  serving_revision: z.number().int().nullable(),
  pinned_revision: z.number().int().nullable(),
  content_hash: z.string().nullable(),
  path: z.string(),
  name: z.string(),
  description: z.string(),
  instructions: z.string(),
  tools: z.array(z.string()),
  channels: z.array(z.string()),
  failure: failureSchema.nullable(),
  warnings: z.array(z.string()),
  loaded_at: z.iso.datetime().nullable(),
  /** Granted permissions (`net`, `read`, `write`, `run`, `addons`, `workers`), from EXTENSION_ALLOW. */
  permissions: z.array(z.string()),
  process: z.object({
    state: z.enum(['none', 'starting', 'running', 'backoff', 'stopped', 'crash_loop']),
    pid: z.number().int().nullable(),
    restarts: z.number().int(),
    retry_at: z.iso.datetime().nullable(),
  }),
});
export type Extension = z.infer<typeof extensionSchema>;
export type ExtensionState = Extension['state'];
export type ExtensionKind = Extension['kind'];
export type ExtensionRuntime = Extension['runtime'];

/** A line of what an extension printed, or that the host noted about its process. */
export const extensionLogLineSchema = z.object({
  time: z.iso.datetime(),
  level: z.enum(['debug', 'info', 'warn', 'error']),
  /** Where the line came from: the process's own streams, `console.*` or `ctx.log` (`log`), or the host. */
  stream: z.enum(['stdout', 'stderr', 'log', 'host']),
  message: z.string(),
  call_id: z.string().nullable(),
});
export type ExtensionLogLine = z.infer<typeof extensionLogLineSchema>;

export const REVISION_OUTCOMES = ['loaded', 'failed'] as const;
/** Names that came, went or mean something else than in an earlier revision, `since`. */
export const nameChangesSchema = z.object({
  since: z.number().int(),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
});
export type NameChanges = z.infer<typeof nameChangesSchema>;

export const revisionSchema = z.object({
  revision: z.number().int(),
  content_hash: z.string(),
  created_at: z.iso.datetime(),
  outcome: z.enum(REVISION_OUTCOMES),
  /** What made the host try it first: `start`, `watch`, `reload`, `edit`. */
  trigger: z.string(),
  /** Who did that: the name of a person or an agent; null for a saved file, a start, and whoever gave no name. */
  actor: z.string().nullable(),
  tools: z.array(z.string()),
  /** Source files it was built from, relative to the extensions folder. */
  files: z.array(z.string()),
  /** Against the nearest earlier revision that could be built; null where there is none, and where the sources of one of the two are not kept. */
  files_changed: nameChangesSchema.nullable(),
  /** Against the nearest earlier revision whose tools are known; null where its own are not, and where there is none. */
  tools_changed: nameChangesSchema.extend({ breaking: z.boolean() }).nullable(),
  /** Whether the runnable artifact is still kept, so that it can be rolled back to. */
  runnable: z.boolean(),
  failure: failureSchema.nullable(),
});
export type Revision = z.infer<typeof revisionSchema>;

/** What asking `status()` came to; an error of it is shown, not thrown. */
export const extensionStatusSchema = z.object({
  value: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
  duration_ms: z.number().nullable(),
});
export type ExtensionStatus = z.infer<typeof extensionStatusSchema>;

export const extensionDetailSchema = extensionSchema.extend({
  revisions: z.array(revisionSchema),
  /** What `status()` answers at this moment; null when there is none, no process runs, or it failed. */
  status: z.record(z.string(), z.unknown()).nullable(),
  /** Why `status()` gave nothing; null when it did, or was not asked. */
  status_error: z.string().nullable(),
  status_duration_ms: z.number().nullable(),
  logs: z.array(extensionLogLineSchema),
  logs_truncated: z.boolean(),
});
export type ExtensionDetail = z.infer<typeof extensionDetailSchema>;

export const WATCH_MODES = ['native', 'polling', 'off', 'blind'] as const;
/** `blind` is "not seeing changes": watching was asked for and does not work. */
export const watchStateSchema = z.object({
  mode: z.enum(WATCH_MODES),
  /** Why the mode is not the one asked for; null when all is well. */
  reason: z.string().nullable(),
  /** A probe file was written into the folder, to see whether the way of watching that is in use notices it. */
  self_test: z.object({
    result: z.enum(['running', 'seen', 'not_seen', 'not_run']),
    /** Why it was not run, or what was not seen; null otherwise. */
    reason: z.string().nullable(),
    /** When it ended, and how long after the file was written; null while it runs and where it is not run. */
    at: z.iso.datetime().nullable(),
    duration_ms: z.number().nullable(),
  }),
});
export type WatchState = z.infer<typeof watchStateSchema>;
export type WatchSelfTest = WatchState['self_test'];

export const extensionListSchema = z.object({
  version: z.number().int(),
  watch: watchStateSchema,
  extensions: z.array(extensionSchema),
});
export type ExtensionList = z.infer<typeof extensionListSchema>;

export const reloadRequestSchema = z.strictObject({ extensions: z.array(z.string()).optional() });

export const reloadReportSchema = z.object({
  version: z.number().int(),
  loaded_extensions: z.array(z.string()),
  failed_extensions: z.array(failureSchema),
  tools: z.array(z.string()),
  channels: z.array(z.string()),
  changed: z.array(z.string()),
  duration_ms: z.number(),
});
export type ReloadReport = z.infer<typeof reloadReportSchema>;

export const revisionRequestSchema = z.strictObject({ revision: z.number().int().positive() });
