'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Activity, Clock, Keyboard, Moon, Plug, RotateCw, Sun, Wrench, Monitor } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { sortByName } from '#components/ui/name-order.ts';
import { PaletteDialog } from '#components/ui/PaletteDialog.tsx';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { StateIcon } from '#components/ui/StateBadge.tsx';
import { STATES } from '#components/ui/states.ts';
import { useReload } from '#lib/client/reload-mutations.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import type { ListedTool } from '#lib/client/listed-tools.ts';
import { queries } from '#lib/client/queries.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { Extension } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { PLACES } from './navigation.ts';
import { shellState } from './shell-state.ts';
import { applyTheme } from './theme.ts';
import { useOverlay } from './use-overlay.ts';
import { useTeamPlaces } from './use-team-places.ts';

const WHAT = 'Find a tool, an extension, a channel, a page or an action';

const CALL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Finds tools, extensions, channels, pages and actions by typing. */
export function CommandPalette() {
  const [open, setOpen] = useOverlay('palette');
  return (
    <PaletteDialog open={open} onOpenChange={setOpen} title={WHAT}>
      <Command label={WHAT} loop filter={matches}>
        <Entries close={() => setOpen(false)} />
      </Command>
    </PaletteDialog>
  );
}

/** Every word typed stands somewhere in the entry; a beginning counts more than a middle. */
function matches(value: string, search: string, keywords: string[] = []): number {
  const text = [value, ...keywords].join(' ').toLowerCase();
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (!words.every((word) => text.includes(word))) return 0;
  const begins = words.every((word) => text.startsWith(word) || /[\s_\-/]/.test(text.charAt(text.indexOf(word) - 1)));
  return begins ? 1 : 0.5;
}

/** What is known of tools before they are read. */
function namedTools({ id, tools }: Extension): readonly Pick<ListedTool, 'name' | 'label' | 'extension' | 'available'>[] {
  return tools.map((name) => ({ name, label: '', extension: id, available: true }));
}

function Entries({ close }: { close: () => void }) {
  const router = useRouter();
  const reload = useReload();
  const mayReload = useMay('extensions.reload');
  const times = useTimeZone();
  const places = [...PLACES, ...useTeamPlaces()];
  const tools = useQuery(queries.tools());
  const extensions = useQuery(queries.extensions());
  // Who types at once finds them, too: the frame of every page has the names.
  const named = sortByName(tools.data?.tools ?? (extensions.data?.extensions ?? []).flatMap(namedTools), ({ name }) => name);
  const channels = useQuery(queries.channels());
  const failures = useInfiniteQuery(failureQueries.list({ status: 'open' })).data?.pages.flatMap((page) => page.groups) ?? [];
  const [search, setSearch] = useState('');

  function go(href: string) {
    close();
    router.push(href);
  }

  return (
    <>
      <Command.Input
        value={search}
        onValueChange={setSearch}
        onFocus={() => {
          const typed = shellState.takeTyped();
          if (typed !== '') setSearch((search) => search + typed);
        }}
        placeholder={WHAT}
        className="h-12 w-full border-b bg-transparent px-4 text-lg outline-none"
      />
      <Command.List className="max-h-[min(26rem,60dvh)] overflow-y-auto p-1">
        <Command.Empty className="px-3 py-6 text-center text-muted">
          {tools.isPending || extensions.isPending
            ? 'Reading the tools and extensions…'
            : `No tool, extension, channel, page or action is called “${search}”.`}
        </Command.Empty>
        <Group heading="Pages">
          {places.map(({ name, href, icon: Icon }) => (
            <Entry key={href} value={`page ${name}`} onSelect={() => go(href)} icon={<Icon aria-hidden />}>
              {name}
            </Entry>
          ))}
        </Group>
        {named.length === 0 ? null : (
          <Group heading="Tools">
            {named.map((tool) => (
              <Entry
                key={tool.name}
                value={`tool ${tool.name}`}
                words={[tool.label, tool.extension]}
                onSelect={() => go(PAGES.tool(tool.name))}
                icon={<Wrench aria-hidden />}
                note={tool.available ? tool.label : 'Unavailable'}
              >
                {tool.name}
              </Entry>
            ))}
          </Group>
        )}
        {extensions.data === undefined || extensions.data.extensions.length === 0 ? null : (
          <Group heading="Extensions">
            {sortByName(extensions.data.extensions, ({ id }) => id).map((extension) => (
              <Entry
                key={extension.id}
                value={`extension ${extension.id}`}
                words={[extension.name, extension.state]}
                onSelect={() => go(PAGES.extension(extension.id))}
                icon={<StateIcon state={extension.state} />}
                note={STATES[extension.state].word}
              >
                {extension.id}
              </Entry>
            ))}
          </Group>
        )}
        {channels.data === undefined || channels.data.channels.length === 0 ? null : (
          <Group heading="Channels">
            {sortByName(channels.data.channels, ({ name }) => name).map((channel) => (
              <Entry
                key={channel.name}
                value={`channel ${channel.name}`}
                words={[channel.state]}
                onSelect={() => go(PAGES.channel(channel.name))}
                icon={<StateIcon state={channel.state} />}
                note={STATES[channel.state].word}
              >
                {channel.name}
              </Entry>
            ))}
          </Group>
        )}
        {failures.length === 0 ? null : (
          <Group heading="Open failures">
            {failures.map((failure) => (
              <Entry
                key={failure.id}
                value={`failure ${failure.id}`}
                words={[failure.title, failure.extension, failure.code]}
                onSelect={() => go(PAGES.failure(failure.id))}
                icon={<StateIcon state={failure.status} />}
                note={failure.extension}
              >
                {failure.title}
              </Entry>
            ))}
          </Group>
        )}
        {CALL_ID.test(search.trim()) ? (
          <Group heading="Calls">
            <Entry value={`call ${search.trim()}`} icon={<Activity aria-hidden />} onSelect={() => go(PAGES.call(search.trim()))}>
              Open the call {search.trim()}
            </Entry>
          </Group>
        ) : null}
        <Group heading="Actions">
          {mayReload ? (
            <Entry
              value="action reload all extensions"
              icon={<RotateCw aria-hidden />}
              onSelect={() => {
                close();
                reload.mutate(null);
              }}
            >
              Reload all extensions
            </Entry>
          ) : null}
          <Entry
            value="action connect an agent"
            words={['mcp', 'claude', 'cursor', 'goose', 'codex']}
            icon={<Plug aria-hidden />}
            onSelect={() => shellState.show('connect')}
          >
            Connect an agent
          </Entry>
          {(
            [
              ['light', 'Use the light theme', Sun],
              ['dark', 'Use the dark theme', Moon],
              ['system', 'Use the theme of the system', Monitor],
            ] as const
          ).map(([theme, words, Icon]) => (
            <Entry
              key={theme}
              value={`action ${words}`}
              icon={<Icon aria-hidden />}
              onSelect={() => {
                close();
                applyTheme(theme);
              }}
            >
              {words}
            </Entry>
          ))}
          <Entry
            value={`action show times in ${times.isLocal ? 'utc' : 'local time'}`}
            words={['time zone', 'clock']}
            icon={<Clock aria-hidden />}
            onSelect={() => {
              close();
              times.setLocal(!times.isLocal);
            }}
          >
            {times.isLocal ? 'Show times in UTC' : 'Show times in local time'}
          </Entry>
        </Group>
      </Command.List>
      <p className="flex items-center gap-2 border-t px-4 py-2 text-xs text-muted">
        <Keyboard aria-hidden className="size-3.5" /> Arrows move, Enter opens, Esc closes
      </p>
    </>
  );
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted"
    >
      {children}
    </Command.Group>
  );
}

function Entry({
  value,
  words = [],
  icon,
  note,
  onSelect,
  children,
}: {
  value: string;
  words?: string[];
  icon: ReactNode;
  note?: string;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <Command.Item
      value={value}
      keywords={words}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-sm px-3 py-1.5 data-[selected=true]:bg-hover [&_svg]:size-4 [&_svg]:shrink-0"
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {note === undefined ? null : <span className="max-w-[40%] truncate text-xs text-muted">{note}</span>}
    </Command.Item>
  );
}
