'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Activity, Clock, Keyboard, Moon, Plug, RotateCw, Sun, Wrench, Monitor } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type ReactNode, useMemo, useState } from 'react';
import * as Radix from 'radix-ui/dialog';
import { DialogFrame } from '#components/ui/Dialog.tsx';
import { sortByName } from '#components/ui/name-order.ts';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { StateIcon, STATES } from '#components/ui/Badge.tsx';
import { useReload } from '#lib/client/reload-mutations.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import type { ListedTool } from '#lib/client/listed-tools.ts';
import { queries } from '#lib/client/queries.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { PAGES } from '#lib/contract/paths.ts';
import { NAV_ITEMS, useFurtherNavItems } from './navigation.ts';
import { shellState, useOverlay } from './shell-state.ts';
import { applyTheme } from './theme.ts';

const SEARCH_LABEL = 'Search tools, extensions, channels, pages and actions';

const CALL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function CommandPalette() {
  const { open, close } = useOverlay('palette');
  return (
    <DialogFrame
      library={Radix}
      open={open}
      onClose={close}
      className="fixed top-[12dvh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 animate-rise-in overflow-hidden rounded border bg-raised shadow-overlay"
    >
      <Radix.Title className="sr-only">{SEARCH_LABEL}</Radix.Title>
      <Command label={SEARCH_LABEL} loop shouldFilter={false}>
        <Entries close={close} />
      </Command>
    </DialogFrame>
  );
}

interface Entry {
  /** Kind and name: "tool get_weather". */
  readonly id: string;
  readonly title: string;
  /** Further searched texts. */
  readonly words?: readonly string[];
  readonly icon: ReactNode;
  readonly note?: string;
  readonly action: string | (() => void);
}

const THEMES = [
  ['light', 'Use the light theme', Sun],
  ['dark', 'Use the dark theme', Moon],
  ['system', 'Use the theme of the system', Monitor],
] as const;

function ofEntries(entries: readonly Entry[]): readonly Searchable<Entry>[] {
  return searchable(entries, ({ id, words = [] }) => [id, ...words]);
}

function Entries({ close }: { close: () => void }) {
  const router = useRouter();
  const reload = useReload();
  const mayReload = useMay('extensions.reload');
  const times = useTimeZone();
  const navItems = [...NAV_ITEMS, ...useFurtherNavItems()];
  const tools = useQuery(queries.tools());
  const extensions = useQuery(queries.extensions());
  const channels = useQuery(queries.channels());
  const failures = useInfiniteQuery(failureQueries.list({ status: 'open' })).data?.pages.flatMap((page) => page.groups) ?? [];
  const [search, setSearch] = useState('');
  const toolList = tools.data?.tools;
  const extensionList = extensions.data?.extensions;

  const ofTools = useMemo(() => {
    // Before the list loads, the names from the page frame are searchable.
    const named: readonly Pick<ListedTool, 'name' | 'label' | 'extension' | 'available'>[] =
      toolList ??
      (extensionList ?? []).flatMap(({ id, tools: names }) => names.map((name) => ({ name, label: '', extension: id, available: true })));
    const entries = sortByName(named, ({ name }) => name).map(({ name, label, extension, available }) => ({
      id: `tool ${name}`,
      title: name,
      words: [label, extension],
      icon: <Wrench />,
      note: available ? label : 'Unavailable',
      action: PAGES.tool(name),
    }));
    return ofEntries(entries);
  }, [toolList, extensionList]);

  const ofExtensions = useMemo(() => {
    const entries = sortByName(extensionList ?? [], ({ id }) => id).map(({ id, name, state }) => ({
      id: `extension ${id}`,
      title: id,
      words: [name, state],
      icon: <StateIcon state={state} />,
      note: STATES[state].word,
      action: PAGES.extension(id),
    }));
    return ofEntries(entries);
  }, [extensionList]);

  function select({ action }: Entry) {
    close();
    if (typeof action === 'string') router.push(action);
    else action();
  }

  const callId = search.trim();
  const timesTitle = times.isLocal ? 'Show times in UTC' : 'Show times in local time';
  const actions: readonly Entry[] = [
    ...(mayReload
      ? [{ id: 'action Reload all extensions', title: 'Reload all extensions', icon: <RotateCw />, action: () => reload.mutate(null) }]
      : []),
    {
      id: 'action Connect an agent',
      title: 'Connect an agent',
      words: ['mcp', 'claude', 'cursor', 'goose', 'codex'],
      icon: <Plug />,
      action: () => shellState.show('connect'),
    },
    ...THEMES.map(([theme, title, Icon]) => ({ id: `action ${title}`, title, icon: <Icon />, action: () => applyTheme(theme) })),
    {
      id: `action ${timesTitle}`,
      title: timesTitle,
      words: ['time zone', 'clock'],
      icon: <Clock />,
      action: () => times.setLocal(!times.isLocal),
    },
  ];
  const all = {
    Pages: ofEntries(navItems.map(({ name, href, icon: Icon }) => ({ id: `page ${name}`, title: name, icon: <Icon />, action: href }))),
    Tools: ofTools,
    Extensions: ofExtensions,
    Channels: ofEntries(
      sortByName(channels.data?.channels ?? [], ({ name }) => name).map(({ name, state }) => ({
        id: `channel ${name}`,
        title: name,
        words: [state],
        icon: <StateIcon state={state} />,
        note: STATES[state].word,
        action: PAGES.channel(name),
      })),
    ),
    'Open failures': ofEntries(
      failures.map(({ id, title, extension, code, status }) => ({
        id: `failure ${id}`,
        title,
        words: [title, extension, code],
        icon: <StateIcon state={status} />,
        note: extension,
        action: PAGES.failure(id),
      })),
    ),
    Calls: ofEntries(
      (CALL_ID.test(callId) ? [callId] : []).map((id) => ({
        id: `call ${id}`,
        title: `Open the call ${id}`,
        icon: <Activity />,
        action: PAGES.call(id),
      })),
    ),
    Actions: ofEntries(actions),
  };
  // Groups with the best entries first, else in their order.
  const shown = Object.entries(all)
    .map(([heading, entries]) => ({ heading, ...findEntries(entries, search) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  return (
    <>
      <Command.Input
        value={search}
        onValueChange={setSearch}
        onFocus={() => {
          const typed = shellState.takeTyped();
          if (typed !== '') setSearch((search) => search + typed);
        }}
        placeholder={SEARCH_LABEL}
        className="h-12 w-full border-b bg-transparent px-4 text-lg outline-none"
      />
      <Command.List className="max-h-[min(26rem,60dvh)] overflow-y-auto p-1">
        {shown.length > 0 ? null : (
          <div role="presentation" className="px-3 py-6 text-center text-muted">
            {tools.isPending || extensions.isPending ? 'Loading…' : `No results for “${search}”`}
          </div>
        )}
        {shown.map(({ heading, more, items }) => (
          <Command.Group
            key={heading}
            heading={heading}
            className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted"
          >
            {items.map((entry) => (
              <Command.Item
                key={entry.id}
                value={entry.id}
                onSelect={() => select(entry)}
                className="flex min-h-9 cursor-pointer items-center gap-2 rounded-sm px-3 py-2 data-[selected=true]:bg-hover [&_svg]:size-4 [&_svg]:shrink-0"
              >
                {entry.icon}
                <span className="min-w-0 flex-1 truncate">{entry.title}</span>
                {entry.note === undefined ? null : <span className="max-w-[40%] truncate text-xs text-muted">{entry.note}</span>}
              </Command.Item>
            ))}
            {more === 0 ? null : <p className="px-3 py-2 text-xs text-muted">{more.toLocaleString('en')} more: type more of the name</p>}
          </Command.Group>
        ))}
      </Command.List>
      <p className="flex items-center gap-2 border-t px-4 py-2 text-xs text-muted">
        <Keyboard className="size-3.5" /> ↑↓ to move, Enter to open, Esc to close
      </p>
    </>
  );
}

/** Each key searches thousands of tools, so only the best entries of a group are rendered. */
const MAX_SHOWN = 50;

interface Searchable<Item> {
  readonly item: Item;
  readonly text: string;
}

interface Found<Item> {
  readonly items: readonly Item[];
  readonly more: number;
  readonly score: number;
}

/** @param wordsOf searched texts; the first is the name */
export function searchable<Item>(items: readonly Item[], wordsOf: (item: Item) => readonly string[]): readonly Searchable<Item>[] {
  return items.map((item) => ({ item, text: wordsOf(item).join(' ').toLowerCase() }));
}

/** Every word must occur in the entry. Names that start with one come first, then entries with words that do. */
export function findEntries<Item>(entries: readonly Searchable<Item>[], search: string): Found<Item> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const named: Item[] = [];
  const prefixed: Item[] = [];
  const others: Item[] = [];
  let count = 0;
  for (const { item, text } of entries) {
    if (!words.every((word) => text.includes(word))) continue;
    count += 1;
    const list = !words.every((word) => text.startsWith(word) || /[\s_\-/]/.test(text.charAt(text.indexOf(word) - 1)))
      ? others
      : words.some((word) => startsName(text, word))
        ? named
        : prefixed;
    if (list.length < MAX_SHOWN) list.push(item);
  }
  const items = [...named, ...prefixed, ...others].slice(0, MAX_SHOWN);
  return { items, more: count - items.length, score: named.length + prefixed.length > 0 ? 1 : others.length > 0 ? 0.5 : 0 };
}

/** The name follows the kind of the entry: "tool get_weather". */
function startsName(text: string, word: string): boolean {
  return text.startsWith(word, text.indexOf(' ') + 1);
}
