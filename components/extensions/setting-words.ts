import type { ExtensionSetting, SettingName } from '#lib/contract/extension-settings.ts';

const WORDS: Record<SettingName, string> = {
  permissions: 'May',
  interpreter: 'Runs on',
  memory_limit: 'Memory',
  call_timeout: 'A call may take',
  load_timeout: 'Loading may take',
  result_limit: 'A result may have',
  excluded: 'Left out',
  excluded_tools: 'Tools left out',
  disabled: 'Switched off',
  pinned: 'Pinned',
  keep_last_good: 'Keeps the last good',
};

export function settingInWords(name: SettingName): string {
  return WORDS[name];
}

/** Where it comes from, as a sentence; empty where what follows says it. */
export function whereInWords({ variable, is_set: isSet }: ExtensionSetting): string {
  if (variable === null) return '';
  return isSet ? `Set by ${variable}.` : `The default, since ${variable} is not set.`;
}

const BYTES = /^(\d+) bytes$/;
const MIB = 1_048_576;

/** Bytes as people say them; everything else as it stands. */
export function valueInWords(value: string): string {
  const bytes = Number(BYTES.exec(value)?.[1] ?? Number.NaN);
  return Number.isNaN(bytes) ? value : `${Number((bytes / MIB).toFixed(1))} MiB`;
}
