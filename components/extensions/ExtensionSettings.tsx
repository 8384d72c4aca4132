'use client';

import { useQuery } from '@tanstack/react-query';
import { Badge } from '#components/ui/Badge.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Section } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { extensionSettingsQuery } from '#lib/client/extension-queries.ts';
import type { ExtensionDetail } from '#lib/contract/extension.ts';
import type { ExtensionSettings as Settings } from '#lib/contract/extension-settings.ts';
import { permissionInWords } from './process-words.ts';
import { IsolationPanel } from './IsolationPanel.tsx';
import { settingInWords, valueInWords, whereInWords } from './setting-words.ts';

const ORIGINS = {
  '.env': 'Lines of the .env in its folder',
  EXTENSION_ENV: 'Passed on by EXTENSION_ENV',
  always: 'Always there, since programs need them',
} as const;

/** What applies to this extension, where it is set, and how it is changed. */
export function ExtensionSettings({ extension }: { extension: ExtensionDetail }) {
  const { data, error, refetch, isFetching } = useQuery(extensionSettingsQuery(extension.id));
  if (data === undefined) {
    return error === null ? (
      <Skeleton lines={8} label="Reading the settings…" />
    ) : (
      <ErrorState
        className="m-4"
        title="The settings could not be read"
        detail={messageOf(error)}
        onRetry={() => void refetch()}
        retrying={isFetching}
      />
    );
  }
  return (
    <div className="flex flex-col gap-5 py-2 pb-4">
      <h2 className="sr-only">Settings</h2>
      <ul className="divide-y">
        {data.settings.map((setting) => (
          <li key={setting.name} className="grid gap-x-4 px-4 py-2 text-sm md:grid-cols-[9rem_minmax(0,1fr)]">
            <span className="text-muted">{settingInWords(setting.name)}</span>
            <span className="min-w-0 break-words">
              <span className="font-medium">
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
      <p className="max-w-prose px-4 text-xs text-muted">
        The isolation contains faults; it is no protection against code that means harm.
      </p>
    </div>
  );
}

function Environment({ settings: { environment, environment_count: count } }: { settings: Settings }) {
  return (
    <Section title="Environment it sees" note={`${count} ${count === 1 ? 'name' : 'names'}, values are not shown`} className="px-4">
      {(['.env', 'EXTENSION_ENV', 'always'] as const).map((origin) => {
        const names = environment.filter(({ from }) => from === origin);
        return names.length === 0 ? null : (
          <div key={origin} className="flex flex-col gap-1">
            <h4 className="text-xs text-muted">{ORIGINS[origin]}</h4>
            <ul className="flex flex-wrap gap-1.5">
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
