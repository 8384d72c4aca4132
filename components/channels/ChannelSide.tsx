'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Tabs } from '#components/ui/Tabs.tsx';
import { queries } from '#lib/client/queries.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { Channel, Message } from '#lib/contract/channel.ts';
import { ChannelFacts } from './ChannelFacts.tsx';
import { CommandSettings } from './CommandSettings.tsx';
import { InjectTest } from './InjectTest.tsx';

/** What of the side outlives its tabs and its sheet. */
export interface SideState {
  readonly tab: string;
  readonly draft: readonly string[] | null;
  readonly followed: Message | null;
}

export function useSideState() {
  const [state, setState] = useState<SideState>({ tab: 'state', draft: null, followed: null });
  return [state, (change: Partial<SideState>) => setState((before) => ({ ...before, ...change }))] as const;
}

export interface ChannelSideProps {
  channel: Channel;
  state: SideState;
  onChange: (change: Partial<SideState>) => void;
}

/** Beside the conversation: how the channel is, what may be commanded in it, and a test. */
export function ChannelSide({ channel, state, onChange }: ChannelSideProps) {
  const { data } = useQuery(queries.extensions());
  const mayInject = useMay('channels.inject');
  const tabs = [
    { id: 'state', label: 'State', content: <ChannelFacts channel={channel} extensions={data?.extensions ?? []} /> },
    {
      id: 'commands',
      label: 'Commands',
      note: channel.commands.enabled ? 'on' : 'off',
      content: <CommandSettings channel={channel} draft={state.draft} onDraft={(draft) => onChange({ draft })} />,
    },
    ...(mayInject
      ? [
          {
            id: 'test',
            label: 'Test',
            content: <InjectTest channel={channel} followed={state.followed} onInjected={(followed) => onChange({ followed })} />,
          },
        ]
      : []),
  ];
  return (
    <Tabs
      label="About the channel"
      value={state.tab}
      onChange={(tab) => onChange({ tab })}
      tabs={tabs.map((tab) => ({ ...tab, content: <div className="p-4">{tab.content}</div> }))}
      className="min-h-0 flex-1 [&>[role=tabpanel]]:overflow-y-auto"
    />
  );
}
