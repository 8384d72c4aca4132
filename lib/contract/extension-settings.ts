import { z } from 'zod';

export const SETTING_NAMES = [
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
