import * as z from 'zod';
import { EXTENSION_KINDS, EXTENSION_RUNTIMES, EXTENSION_STATES } from './states.ts';
import { failureSchema } from './failure.ts';
import { localFileSchema } from './instance.ts';
import { iconSchema } from './mcp-content.ts';

export { EXTENSION_KINDS, EXTENSION_STATES } from './states.ts';

export const KEPT_REASONS = ['chosen', 'declared', 'state', 'channel', 'session', 'activity'] as const;

/**
 * One extension in the API. `revision` is the newest tried, `serving_revision` the one that answers calls; they differ while
 * `degraded` or pinned. `path` is relative to the extensions folder.
 */
export const extensionSchema = z.object({
  id: z.string(),
  kind: z.enum(EXTENSION_KINDS),
  runtime: z.enum(EXTENSION_RUNTIMES),
  state: z.enum(EXTENSION_STATES),
  /** While `disabled`: by a person, or by its file. */
  disabled_by: z.enum(['person', 'file']).optional(),
  revision: z.number().int().nullable(),
  serving_revision: z.number().int().nullable(),
  pinned_revision: z.number().int().nullable(),
  /** Chosen by a person: whether its process is kept without calls. Absent: KEEP_ALIVE, or state in memory, decides. */
  keep_alive: z.boolean().optional(),
  content_hash: z.string().nullable(),
  path: z.string(),
  name: z.string(),
  /** Of an MCP server. */
  icons: z.array(iconSchema).optional(),
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
    /**
     * Why it does not end without calls: `chosen` by a person (`keep_alive`), `declared` (KEEP_ALIVE), `state` in memory, a `channel`, the `session` of an MCP server, or
     * an `activity` such as a timer. Null: it ends, or EXTENSION_IDLE_SECONDS is 0.
     */
    kept: z.enum(KEPT_REASONS).nullable(),
  }),
});
export type Extension = z.infer<typeof extensionSchema>;
export type ExtensionState = Extension['state'];
export type KeptReason = (typeof KEPT_REASONS)[number];
export type ExtensionKind = Extension['kind'];
export type ExtensionRuntime = Extension['runtime'];

/** A line of an extension's output, or a note of the host. */
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
/** Names added, removed or changed against an earlier revision, `since`. */
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
  /** Trigger of the first load: `start`, `watch`, `reload`, `edit`. */
  trigger: z.string(),
  /** Person or agent who triggered it, or null. */
  actor: z.string().nullable(),
  tools: z.array(z.string()),
  /** Source files it was built from, relative to the extensions folder. */
  files: z.array(z.string()),
  /** Against the nearest earlier built revision; null without one, or without stored sources. */
  files_changed: nameChangesSchema.nullable(),
  /** Against the nearest earlier revision with known tools; null without one. */
  tools_changed: nameChangesSchema.extend({ breaking: z.boolean() }).nullable(),
  /** Installed packages when it was tried: all of its environment, or those it imports without one; null in old records. */
  packages: z.record(z.string(), z.string()).nullable(),
  /** Whether the built program is stored, so a rollback is possible. */
  runnable: z.boolean(),
  failure: failureSchema.nullable(),
});
export type Revision = z.infer<typeof revisionSchema>;

/** Result of `status()`; errors are values. */
export const extensionStatusSchema = z.object({
  value: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
  duration_ms: z.number().nullable(),
});
export type ExtensionStatus = z.infer<typeof extensionStatusSchema>;

/** What one server serves of an extension. */
const extensionInstanceSchema = z.object({
  /** As in `GET /instances`. */
  id: z.string(),
  state: z.enum(EXTENSION_STATES),
  serving_revision: z.number().int().nullable(),
  failure: failureSchema.nullable(),
  /** Its files of this extension that the others do not have. */
  local_files: z.array(localFileSchema),
});
export type ExtensionInstance = z.infer<typeof extensionInstanceSchema>;

/** Two servers saved different texts of a file on one base; the later save waits for a choice. */
export const extensionConflictSchema = z.object({
  id: z.string(),
  /** Relative to the extensions folder. */
  path: z.string(),
  /** Of the later save, `other`: the server, the person if it was saved in the browser or by an agent, and the time. */
  instance: z.string(),
  actor: z.string().nullable(),
  saved_at: z.iso.datetime(),
  /** The same fields for the served save. */
  serving_instance: z.string(),
  serving_actor: z.string().nullable(),
  serving_saved_at: z.iso.datetime(),
  /** Text that is served; null: the file is removed. */
  serving: z.string().nullable(),
  /** Text that was saved later; null: the file was removed. */
  other: z.string().nullable(),
});
export type ExtensionConflict = z.infer<typeof extensionConflictSchema>;

/** All conflicts, oldest first, without their texts. */
export const fileConflictListSchema = z.object({
  conflicts: z.array(
    extensionConflictSchema.omit({ serving: true, other: true }).extend({
      /** Ids of the extensions that use the file; empty for a file that none uses. */
      extensions: z.array(z.string()),
    }),
  ),
});
export type FileConflictList = z.infer<typeof fileConflictListSchema>;

export const extensionDetailSchema = extensionSchema.extend({
  revisions: z.array(revisionSchema),
  /** Whether the loaded revision has a `status()`. */
  has_status: z.boolean(),
  /** Current result of `status()`; null without one, without a process, or on error. */
  status: z.record(z.string(), z.unknown()).nullable(),
  /** Error of `status()`, or null. */
  status_error: z.string().nullable(),
  status_duration_ms: z.number().nullable(),
  logs: z.array(extensionLogLineSchema),
  logs_truncated: z.boolean(),
  /** Each server on the database that is not gone. */
  instances: z.array(extensionInstanceSchema),
  /** Oldest first. */
  conflicts: z.array(extensionConflictSchema),
});
export type ExtensionDetail = z.infer<typeof extensionDetailSchema>;

export const WATCH_MODES = ['native', 'polling', 'off', 'blind'] as const;
/** `blind`: watching is enabled but does not work. */
export const watchStateSchema = z.object({
  mode: z.enum(WATCH_MODES),
  /** Why the mode differs from the setting, or null. */
  reason: z.string().nullable(),
  /** Test of file watching with a probe file. */
  self_test: z.object({
    result: z.enum(['running', 'seen', 'not_seen', 'not_run']),
    /** Why it did not run or failed, or null. */
    reason: z.string().nullable(),
    /** End time and delay after the write; null while running or not run. */
    at: z.iso.datetime().nullable(),
    duration_ms: z.number().nullable(),
  }),
});
export type WatchState = z.infer<typeof watchStateSchema>;
export type WatchSelfTest = WatchState['self_test'];

/** Of the first start; failed loads count too. */
const startProgressSchema = z.object({ loaded: z.number().int(), total: z.number().int() });
export type StartProgress = z.infer<typeof startProgressSchema>;

export const extensionListSchema = z.object({
  version: z.number().int(),
  watch: watchStateSchema,
  /** While extensions are loaded at a start; null otherwise. */
  loading: startProgressSchema.nullable(),
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

/** Null: automatic. */
export const keepAliveRequestSchema = z.strictObject({ keep: z.boolean().nullable() });

export const revisionRequestSchema = z.strictObject({ revision: z.number().int().positive() });

/** `serving` discards the later save; `other` writes it on all servers, replacing the served text. */
export const conflictChoiceSchema = z.strictObject({ keep: z.enum(['serving', 'other']) });
export type ConflictChoice = z.infer<typeof conflictChoiceSchema>;
