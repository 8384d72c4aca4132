import * as z from 'zod';
import { LIMITS } from './limits.ts';
import { extensionLogLineSchema } from './extension.ts';

/** The query of `GET /extensions/{id}/logs`. */
export const extensionLogQuerySchema = z.strictObject({
  /** `cursor` of the previous answer: only newer lines. */
  after: z.string().max(200).optional(),
});
export type ExtensionLogQuery = z.infer<typeof extensionLogQuerySchema>;

export const extensionLogPageSchema = z.object({
  /** Revision of this log; null if nothing serves. */
  revision: z.number().int().nullable(),
  /** Oldest first. */
  lines: z.array(extensionLogLineSchema),
  cursor: z.string(),
  /** A new revision serves, so the lines start at its beginning. */
  restarted: z.boolean(),
  /** Dropped lines between `after` (or the beginning) and these. */
  dropped: z.number().int(),
});
export type ExtensionLogPage = z.infer<typeof extensionLogPageSchema>;

const resourceSampleSchema = z.object({
  at: z.iso.datetime(),
  revision: z.number().int(),
  /** Resident memory of the process and its children. */
  memory_bytes: z.number(),
  /** Of one core, since the previous sample; null for the first. */
  cpu_percent: z.number().nullable(),
});
export type ResourceSample = z.infer<typeof resourceSampleSchema>;

/** Process metrics: the answer of `GET /extensions/{id}/resources`. */
export const extensionResourcesSchema = z.object({
  /** Why metrics are unavailable, or null. */
  unavailable: z.string().nullable(),
  /** Between samples while somebody reads them. */
  every_ms: z.number().int(),
  /** Between samples else. */
  unread_every_ms: z.number().int(),
  /** Memory limit (EXTENSION_MEMORY_MB). */
  memory_limit_bytes: z.number().int(),
  /** Oldest first; none while no process runs. */
  samples: z.array(resourceSampleSchema).max(LIMITS.resourceSamplesKept),
});
export type ExtensionResources = z.infer<typeof extensionResourcesSchema>;

const SETTING_NAMES = [
  'permissions',
  'interpreter',
  'memory_limit',
  'idle',
  'call_timeout',
  'load_timeout',
  'result_limit',
  'excluded',
  'excluded_tools',
  'disabled',
  'pinned',
  'keep_last_good',
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];

const settingSchema = z.object({
  name: z.enum(SETTING_NAMES),
  /** Effective value as text: "512 MiB", "use the network". */
  value: z.string(),
  /** The variable that sets it, or null. */
  variable: z.string().nullable(),
  /** Whether the variable is set. */
  is_set: z.boolean(),
  /** How to change it. */
  change: z.string(),
});
export type ExtensionSetting = z.infer<typeof settingSchema>;

/** A visible environment variable, without value. */
const visibleVariableSchema = z.object({
  name: z.string(),
  /** `always`: basic variable; `EXTENSION_ENV`: passed by that setting; `.env`: from its folder. */
  from: z.enum(['always', 'EXTENSION_ENV', '.env']),
});

/** Effective settings: the answer of `GET /extensions/{id}/settings`. */
export const extensionSettingsSchema = z.object({
  settings: z.array(settingSchema),
  /** By name, the first 200. */
  environment: z.array(visibleVariableSchema),
  /** How many there are. */
  environment_count: z.number().int(),
});
export type ExtensionSettings = z.infer<typeof extensionSettingsSchema>;
