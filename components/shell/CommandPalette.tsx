'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Activity, Clock, Keyboard, Moon, Plug, RotateCw, Sun, Wrench, Monitor } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { CommandDialog, CommandEmpty, CommandGroup, CommandInput, CommandItem, CommandList } from '#components/ui/Command.tsx';
import { sortByName } from '#components/ui/name-order.ts';
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
import { useFurtherPlaces } from './use-further-places.ts';

const WHAT = 'Search tools, extensions, channels, pages and actions';

const CALL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function CommandPalette() {
  const [open, setOpen] = useOverlay('palette');
  return (
    <CommandDialog open={open} onOpenChange={setOpen} label={WHAT} filter={matches}>
      <Entries close={() => setOpen(false)} />
    </CommandDialog>
  );
}

/** Every word must occur in the entry; prefix matches rank higher. */
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

/** Tool names known before the list is loaded. */
function namedTools({ id, tools }: Extension): readonly Pick<ListedTool, 'name' | 'label' | 'extension' | 'available'>[] {
  return tools.map((name) => ({ name, label: '', extension: id, available: true }));
}

function Entries({ close }: { close: () => void }) {
  const router = useRouter();
  const reload = useReload();
  const mayReload = useMay('extensions.reload');
  const times = useTimeZone();
  const places = [...PLACES, ...useFurtherPlaces()];
  const tools = useQuery(queries.tools());
  const extensions = useQuery(queries.extensions());
  // Before the lists load, the names from the page frame are searchable.
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
      <CommandInput
        value={search}
        onValueChange={setSearch}
        onFocus={() => {
          const typed = shellState.takeTyped();
          if (typed !== '') setSearch((search) => search + typed);
        }}
        placeholder={WHAT}
      />
      <CommandList>
        <CommandEmpty>{tools.isPending || extensions.isPending ? 'Loading…' : `No results for “${search}”`}</CommandEmpty>
        <CommandGroup heading="Pages">
          {places.map(({ name, href, icon: Icon }) => (
            <CommandItem key={href} value={`page ${name}`} onSelect={() => go(href)} icon={<Icon aria-hidden />}>
              {name}
            </CommandItem>
          ))}
        </CommandGroup>
        {named.length === 0 ? null : (
          <CommandGroup heading="Tools">
            {named.map((tool) => (
              <CommandItem
                key={tool.name}
                value={`tool ${tool.name}`}
                words={[tool.label, tool.extension]}
                onSelect={() => go(PAGES.tool(tool.name))}
                icon={<Wrench aria-hidden />}
                note={tool.available ? tool.label : 'Unavailable'}
              >
                {tool.name}
              </CommandItem>
            ))}
          </CommandGroup>
        )}
        {extensions.data === undefined || extensions.data.extensions.length === 0 ? null : (
          <CommandGroup heading="Extensions">
            {sortByName(extensions.data.extensions, ({ id }) => id).map((extension) => (
              <CommandItem
                key={extension.id}
                value={`extension ${extension.id}`}
                words={[extension.name, extension.state]}
                onSelect={() => go(PAGES.extension(extension.id))}
                icon={<StateIcon state={extension.state} />}
                note={STATES[extension.state].word}
              >
                {extension.id}
              </CommandItem>
            ))}
          </CommandGroup>
        )}
        {channels.data === undefined || channels.data.channels.length === 0 ? null : (
          <CommandGroup heading="Channels">
            {sortByName(channels.data.channels, ({ name }) => name).map((channel) => (
              <CommandItem
                key={channel.name}
                value={`channel ${channel.name}`}
                words={[channel.state]}
                onSelect={() => go(PAGES.channel(channel.name))}
                icon={<StateIcon state={channel.state} />}
                note={STATES[channel.state].word}
              >
                {channel.name}
              </CommandItem>
            ))}
          </CommandGroup>
        )}
        {failures.length === 0 ? null : (
          <CommandGroup heading="Open failures">
            {failures.map((failure) => (
              <CommandItem
                key={failure.id}
                value={`failure ${failure.id}`}
                words={[failure.title, failure.extension, failure.code]}
                onSelect={() => go(PAGES.failure(failure.id))}
                icon={<StateIcon state={failure.status} />}
                note={failure.extension}
              >
                {failure.title}
              </CommandItem>
            ))}
          </CommandGroup>
        )}
        {CALL_ID.test(search.trim()) ? (
          <CommandGroup heading="Calls">
            <CommandItem value={`call ${search.trim()}`} icon={<Activity aria-hidden />} onSelect={() => go(PAGES.call(search.trim()))}>
              Open the call {search.trim()}
            </CommandItem>
          </CommandGroup>
        ) : null}
        <CommandGroup heading="Actions">
          {mayReload ? (
            <CommandItem
              value="action reload all extensions"
              icon={<RotateCw aria-hidden />}
              onSelect={() => {
                close();
                reload.mutate(null);
              }}
            >
              Reload all extensions
            </CommandItem>
          ) : null}
          <CommandItem
            value="action connect an agent"
            words={['mcp', 'claude', 'cursor', 'goose', 'codex']}
            icon={<Plug aria-hidden />}
            onSelect={() => shellState.show('connect')}
          >
            Connect an agent
          </CommandItem>
          {(
            [
              ['light', 'Use the light theme', Sun],
              ['dark', 'Use the dark theme', Moon],
              ['system', 'Use the theme of the system', Monitor],
            ] as const
          ).map(([theme, words, Icon]) => (
            <CommandItem
              key={theme}
              value={`action ${words}`}
              icon={<Icon aria-hidden />}
              onSelect={() => {
                close();
                applyTheme(theme);
              }}
            >
              {words}
            </CommandItem>
          ))}
          <CommandItem
            value={`action show times in ${times.isLocal ? 'utc' : 'local time'}`}
            words={['time zone', 'clock']}
            icon={<Clock aria-hidden />}
            onSelect={() => {
              close();
              times.setLocal(!times.isLocal);
            }}
          >
            {times.isLocal ? 'Show times in UTC' : 'Show times in local time'}
          </CommandItem>
        </CommandGroup>
      </CommandList>
      <p className="flex items-center gap-2 border-t px-4 py-2 text-xs text-muted">
        <Keyboard aria-hidden className="size-3.5" /> ↑↓ to move, Enter to open, Esc to close
      </p>
    </>
  );
}
