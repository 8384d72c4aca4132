'use client';

import { useQuery } from '@tanstack/react-query';
import { QueryState } from '#components/ui/QueryState.tsx';
import { Badge } from '#components/ui/Badge.tsx';
import { Section } from '#components/ui/Panel.tsx';
import { extensionSettingsQuery, healthQuery } from '#lib/client/extension-queries.ts';
import type { ExtensionSetting, ExtensionSettings as Settings, SettingName } from '#lib/contract/extension-reports.ts';
import type { ExtensionDetail } from '#lib/contract/extension.ts';
import type { IsolationLevel } from '#lib/contract/health.ts';

const PERMISSIONS: Record<string, string> = {
  net: 'use the network',
  read: 'read any file',
  write: 'write any file',
  run: 'start programs',
  addons: 'load native add-ons',
  workers: 'start worker threads',
};

export function permissionInWords(permission: string): string {
  return PERMISSIONS[permission] ?? permission;
}

const WORDS: Record<SettingName, string> = {
  permissions: 'Permissions',
  interpreter: 'Interpreter',
  memory_limit: 'Memory limit',
  call_timeout: 'Call timeout',
  load_timeout: 'Load timeout',
  result_limit: 'Result size limit',
  excluded: 'Excluded',
  excluded_tools: 'Excluded tools',
  disabled: 'Disabled',
  pinned: 'Pinned',
  keep_last_good: 'Keep last good',
  idle: 'Idle process',
};

export function whereInWords({ variable, is_set: isSet }: ExtensionSetting): string {
  if (variable === null) return '';
  return isSet ? `Set by ${variable}.` : `Default: ${variable} is not set.`;
}

const BYTES = /^(\d+) bytes$/;
const MIB = 1_048_576;

export function valueInWords(value: string): string {
  const bytes = Number(BYTES.exec(value)?.[1] ?? Number.NaN);
  return Number.isNaN(bytes) ? value : `${Number((bytes / MIB).toFixed(1))} MiB`;
}

const ORIGINS = {
  '.env': 'From the .env in its folder',
  EXTENSION_ENV: 'From EXTENSION_ENV',
  always: 'Always set',
} as const;

export function ExtensionSettings({ extension }: { extension: ExtensionDetail }) {
  const { data, error, refetch, isFetching } = useQuery(extensionSettingsQuery(extension.id));
  if (data === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the settings" lines={8} inset />;
  return (
    <div className="flex flex-col gap-4 py-2 pb-4">
      <h2 className="sr-only">Settings</h2>
      <ul className="divide-y">
        {data.settings.map((setting) => (
          <li key={setting.name} className="grid gap-x-4 px-4 py-2 text-sm md:grid-cols-[9rem_minmax(0,1fr)]">
            <span className="text-muted">{WORDS[setting.name]}</span>
            <span className="min-w-0 break-words">
              <span className="block font-medium first-letter:uppercase">
                {setting.name === 'permissions' && extension.runtime === 'node' && extension.permissions.length > 0
                  ? extension.permissions.map(permissionInWords).join(', ')
                  : valueInWords(setting.value)}
              </span>
              <span className="block text-muted">
                {whereInWords(setting)} {setting.change}
              </span>
            </span>
          </li>
        ))}
      </ul>
      <Environment settings={data} />
      <IsolationPanel />
      <p className="max-w-prose px-4 text-xs text-muted">Isolation contains faults. It does not protect against malicious code.</p>
    </div>
  );
}

function Environment({ settings: { environment, environment_count: count } }: { settings: Settings }) {
  return (
    <Section title="Environment variables" note={`${count} ${count === 1 ? 'name' : 'names'}, values are not shown`} className="px-4">
      {(['.env', 'EXTENSION_ENV', 'always'] as const).map((origin) => {
        const names = environment.filter(({ from }) => from === origin);
        return names.length === 0 ? null : (
          <div key={origin} className="flex flex-col gap-1">
            <h4 className="text-xs text-muted">{ORIGINS[origin]}</h4>
            <ul className="flex flex-wrap gap-2">
              {names.map(({ name }) => (
                <li key={name} className="min-w-0">
                  <Badge>
                    <code>{name}</code>
                  </Badge>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
      {count > environment.length ? <p className="text-sm text-muted">And {count - environment.length} more.</p> : null}
    </Section>
  );
}

const NAMES: Readonly<Record<IsolationLevel['name'], string>> = {
  process: 'Process',
  permissions: 'Permissions',
  memory: 'Memory',
  parent_death: 'Server shutdown',
  leftovers: 'Orphaned processes',
  network_namespace: 'Python network',
};

export function IsolationPanel() {
  const { data, error, refetch, isFetching } = useQuery(healthQuery());
  const levels = data?.isolation?.levels;
  return (
    <Section title="Isolation on this machine" note="of all extensions" className="px-4">
      {levels !== undefined ? (
        <ul className="divide-y">
          {levels.map(({ name, is_on: isOn, note }) => (
            <li key={name} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2 text-sm">
              <Badge>{isOn ? 'on' : 'off'}</Badge>
              <span className="font-medium">{NAMES[name]}</span>
              <span className="min-w-0 flex-1 basis-60 text-muted">{note}</span>
            </li>
          ))}
        </ul>
      ) : (
        <QueryState query={{ error, refetch, isFetching }} what="the isolation" lines={6} />
      )}
    </Section>
  );
}
