'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Activity, Clock, Keyboard, Moon, Plug, RotateCw, Sun, Wrench, Monitor, type LucideIcon } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type ReactNode, useMemo, useState } from 'react';
import { CommandDialog, CommandEmpty, CommandGroup, CommandInput, CommandItem, CommandList } from '#components/ui/Command.tsx';
import { sortByName } from '#components/ui/name-order.ts';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { StateIcon, STATES } from '#components/ui/Badge.tsx';
import { useReload } from '#lib/client/reload-mutations.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import type { ListedTool } from '#lib/client/listed-tools.ts';
import { queries } from '#lib/client/queries.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { Extension } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { NAV_ITEMS, useFurtherNavItems } from './navigation.ts';
import { shellState, useOverlay } from './shell-state.ts';
import { applyTheme } from './theme.ts';

const SEARCH_LABEL = 'Search tools, extensions, channels, pages and actions';

const CALL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function CommandPalette() {
  const { open, close } = useOverlay('palette');
  return (
    <CommandDialog open={open} onClose={close} label={SEARCH_LABEL}>
      <Entries close={close} />
    </CommandDialog>
  );
}

/** Tool names known before the list is loaded. */
function namedTools({ id, tools }: Extension): readonly Pick<ListedTool, 'name' | 'label' | 'extension' | 'available'>[] {
  return tools.map((name) => ({ name, label: '', extension: id, available: true }));
}

interface Action {
  readonly title: string;
  readonly words?: readonly string[];
  readonly icon: LucideIcon;
  run(): void;
}

const THEMES = [
  ['light', 'Use the light theme', Sun],
  ['dark', 'Use the dark theme', Moon],
  ['system', 'Use the theme of the system', Monitor],
] as const;

interface Group {
  readonly heading: string;
  readonly score: number;
  readonly more: number;
  readonly entries: ReactNode;
}

function group<Item>(heading: string, { items, more, score }: Found<Item>, render: (item: Item) => ReactNode): Group {
  return { heading, score, more, entries: items.map(render) };
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
    // Before the lists load, the names from the page frame are searchable.
    const named = sortByName(toolList ?? (extensionList ?? []).flatMap(namedTools), ({ name }) => name);
    return searchable(named, ({ name, label, extension }) => [`tool ${name}`, label, extension]);
  }, [toolList, extensionList]);
  const ofExtensions = useMemo(
    () =>
      searchable(
        sortByName(extensionList ?? [], ({ id }) => id),
        ({ id, name, state }) => [`extension ${id}`, name, state],
      ),
    [extensionList],
  );

  function go(href: string) {
    close();
    router.push(href);
  }

  const callId = search.trim();
  const actions: readonly Action[] = [
    ...(mayReload
      ? [
          {
            title: 'Reload all extensions',
            icon: RotateCw,
            run() {
              close();
              reload.mutate(null);
            },
          },
        ]
      : []),
    { title: 'Connect an agent', words: ['mcp', 'claude', 'cursor', 'goose', 'codex'], icon: Plug, run: () => shellState.show('connect') },
    ...THEMES.map(([theme, title, icon]) => ({
      title,
      icon,
      run() {
        close();
        applyTheme(theme);
      },
    })),
    {
      title: times.isLocal ? 'Show times in UTC' : 'Show times in local time',
      words: ['time zone', 'clock'],
      icon: Clock,
      run() {
        close();
        times.setLocal(!times.isLocal);
      },
    },
  ];
  const groups: readonly Group[] = [
    group(
      'Pages',
      findEntries(
        searchable(navItems, ({ name }) => [`page ${name}`]),
        search,
      ),
      ({ name, href, icon: Icon }) => (
        <CommandItem key={href} value={`page ${name}`} onSelect={() => go(href)} icon={<Icon />}>
          {name}
        </CommandItem>
      ),
    ),
    group('Tools', findEntries(ofTools, search), ({ name, label, available }) => (
      <CommandItem
        key={name}
        value={`tool ${name}`}
        onSelect={() => go(PAGES.tool(name))}
        icon={<Wrench />}
        note={available ? label : 'Unavailable'}
      >
        {name}
      </CommandItem>
    )),
    group('Extensions', findEntries(ofExtensions, search), ({ id, state }) => (
      <CommandItem
        key={id}
        value={`extension ${id}`}
        onSelect={() => go(PAGES.extension(id))}
        icon={<StateIcon state={state} />}
        note={STATES[state].word}
      >
        {id}
      </CommandItem>
    )),
    group(
      'Channels',
      findEntries(
        searchable(
          sortByName(channels.data?.channels ?? [], ({ name }) => name),
          ({ name, state }) => [`channel ${name}`, state],
        ),
        search,
      ),
      ({ name, state }) => (
        <CommandItem
          key={name}
          value={`channel ${name}`}
          onSelect={() => go(PAGES.channel(name))}
          icon={<StateIcon state={state} />}
          note={STATES[state].word}
        >
          {name}
        </CommandItem>
      ),
    ),
    group(
      'Open failures',
      findEntries(
        searchable(failures, ({ id, title, extension, code }) => [`failure ${id}`, title, extension, code]),
        search,
      ),
      ({ id, title, extension, status }) => (
        <CommandItem
          key={id}
          value={`failure ${id}`}
          onSelect={() => go(PAGES.failure(id))}
          icon={<StateIcon state={status} />}
          note={extension}
        >
          {title}
        </CommandItem>
      ),
    ),
    group(
      'Calls',
      findEntries(
        searchable(CALL_ID.test(callId) ? [callId] : [], (id) => [`call ${id}`]),
        search,
      ),
      (id) => (
        <CommandItem key={id} value={`call ${id}`} icon={<Activity />} onSelect={() => go(PAGES.call(id))}>
          Open the call {id}
        </CommandItem>
      ),
    ),
    group(
      'Actions',
      findEntries(
        searchable(actions, ({ title, words = [] }) => [`action ${title}`, ...words]),
        search,
      ),
      ({ title, icon: Icon, run }) => (
        <CommandItem key={title} value={`action ${title}`} icon={<Icon />} onSelect={run}>
          {title}
        </CommandItem>
      ),
    ),
  ];
  // Groups with the best entries first, else in their order.
  const shown = groups.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score);

  return (
    <>
      <CommandInput
        value={search}
        onValueChange={setSearch}
        onFocus={() => {
          const typed = shellState.takeTyped();
          if (typed !== '') setSearch((search) => search + typed);
        }}
        placeholder={SEARCH_LABEL}
      />
      <CommandList>
        {shown.length > 0 ? null : (
          <CommandEmpty>{tools.isPending || extensions.isPending ? 'Loading…' : `No results for “${search}”`}</CommandEmpty>
        )}
        {shown.map(({ heading, more, entries }) => (
          <CommandGroup key={heading} heading={heading}>
            {entries}
            {more === 0 ? null : <p className="px-3 py-2 text-xs text-muted">{more.toLocaleString('en')} more: type more of the name</p>}
          </CommandGroup>
        ))}
      </CommandList>
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
  /** Lower case. */
  readonly text: string;
}

interface Found<Item> {
  /** Best first, else in their order. */
  readonly items: readonly Item[];
  /** Number of further matches. */
  readonly more: number;
  /** Score of the best entry; 0 for none. */
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
    const list = !words.every((word) => hasWordPrefix(text, word))
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

function hasWordPrefix(text: string, word: string): boolean {
  return text.startsWith(word) || /[\s_\-/]/.test(text.charAt(text.indexOf(word) - 1));
}
