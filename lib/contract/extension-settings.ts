import { z } from 'zod';

export const SETTING_NAMES = [
  'permissions',
  'interpreter',
  'memory_limit',
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
  /** What applies to this extension, for people: "512 MiB", "use the network". */
  value: z.string(),
  /** The variable that sets it; null where people set it while the server runs, or nothing does. */
  variable: z.string().nullable(),
  /** Whether that variable is set; otherwise its default applies. */
  is_set: z.boolean(),
  /** How it is changed. */
  change: z.string(),
});
export type ExtensionSetting = z.infer<typeof settingSchema>;

/** What an extension sees of the environment; never a value. */
const visibleVariableSchema = z.object({
  name: z.string(),
  /** `always`: programs need it; `EXTENSION_ENV`: passed on by that setting; `.env`: a line of the file in its folder. */
  from: z.enum(['always', 'EXTENSION_ENV', '.env']),
});

/** What applies to one extension, where it is set and how it is changed: the answer of `GET /extensions/{id}/settings`. */
export const extensionSettingsSchema = z.object({
  settings: z.array(settingSchema),
  /** By name, the first 200. */
  environment: z.array(visibleVariableSchema),
  /** How many there are. */
  environment_count: z.number().int(),
});
export type ExtensionSettings = z.infer<typeof extensionSettingsSchema>;
