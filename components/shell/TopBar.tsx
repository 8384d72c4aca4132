'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronLeft, CircleUser, History, Info, Plug, Search, SlidersHorizontal } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { lazy, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { DropdownMenu } from '#components/ui/DropdownMenu.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { Kbd } from '#components/ui/Kbd.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Mark } from '#components/ui/Mark.tsx';
import { Popover } from '#components/ui/Popover.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { usePersonName } from '#lib/client/ClientProvider.tsx';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { queries } from '#lib/client/queries.ts';
import { ConnectionBadge } from './ConnectionBadge.tsx';
import { ReloadButton } from './ReloadButton.tsx';
import { WatchBadge } from './WatchBadge.tsx';
import { navItemOf } from './navigation.ts';
import { shellState } from './shell-state.ts';

export function TopBar() {
  return (
    <header className="sticky top-0 z-20 flex h-13 low:static items-center gap-2 border-b bg-panel px-4 lg:gap-3 lg:px-6">
      <Breadcrumb />
      <PaletteButton />
      <div className="flex items-center gap-2 max-lg:hidden">
        <SnapshotChip />
        <WatchBadge />
      </div>
      <ConnectionBadge onlyTroubleWhenNarrow />
      <ReloadButton />
      <StatusButton />
      <div className="flex items-center gap-1">
        <ConnectAgentButton />
        <DisplayMenu />
        <div className="max-lg:hidden">
          <PersonMenu />
        </div>
      </div>
    </header>
  );
}

/** The way back from a page within a list. The page itself has the title. */
function Breadcrumb() {
  const pathname = usePathname();
  const navItem = navItemOf(pathname);
  if (navItem === null || navItem.href === pathname) return <Brand />;
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 flex-1">
      <ListLink
        href={navItem.href}
        className="-ml-1 flex min-w-0 items-center gap-1 rounded-sm text-muted hover:text-fg hover:underline pointer-coarse:min-h-11"
      >
        <ChevronLeft className="size-4 shrink-0" />
        <span className="truncate">{navItem.name}</span>
      </ListLink>
    </nav>
  );
}

/** On phones, where no sidebar shows it. */
function Brand() {
  return (
    <div className="min-w-0 flex-1">
      <span className="flex items-center gap-2 font-semibold md:hidden">
        <Mark className="size-5 shrink-0" />
        <span className="truncate max-sm:sr-only">Switchboard</span>
      </span>
    </div>
  );
}

function PaletteButton() {
  return (
    <Button
      variant="secondary"
      icon={<Search className="text-muted" />}
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => shellState.show('palette')}
      className="font-normal text-muted pointer-coarse:min-w-10 max-xl:px-2 xl:w-52 xl:justify-start"
    >
      <span className="flex-1 text-left max-xl:sr-only">
        Find…<span className="sr-only"> a tool, an extension, a page or an action</span>
      </span>
      <span aria-hidden className="max-xl:hidden">
        <Kbd>Ctrl K</Kbd>
      </span>
    </Button>
  );
}

const SnapshotCard = lazyPart(async () => (await import('./ChangeList.tsx')).SnapshotCard, <p className="p-3 text-muted">Loading…</p>);

function SnapshotChip() {
  const { data } = useInfiniteQuery(queries.snapshots());
  const last = data?.pages[0]?.snapshots[0];
  if (last === undefined) return null;
  return (
    <Popover
      label={`Changes in version ${last.version}`}
      trigger={
        <Button size="sm" variant="quiet" icon={<History />} className="tabular text-muted">
          <span className="font-medium text-fg">v{last.version}</span>
          {/* Wide enough for every age, so that the bar does not move with it. */}
          <RelativeTime time={last.created_at} bare className="min-w-11 text-left" />
          <span className="sr-only">, show what this version changed</span>
        </Button>
      }
    >
      <SnapshotCard snapshot={last} />
    </Popover>
  );
}

function StatusButton() {
  return (
    <IconButton label="Show the state of the server" onClick={() => shellState.show('status')} className="lg:hidden">
      <Info />
    </IconButton>
  );
}

function ConnectAgentButton() {
  return (
    <IconButton label="Connect an agent" onClick={() => shellState.show('connect')} className="max-lg:hidden">
      <Plug />
    </IconButton>
  );
}

const DisplayChoices = lazy(async () => ({ default: (await import('./DisplayChoices.tsx')).DisplayChoices }));

function DisplayMenu() {
  return (
    <DropdownMenu
      trigger={
        <IconButton label="Theme and time zone">
          <SlidersHorizontal />
        </IconButton>
      }
    >
      <DisplayChoices />
    </DropdownMenu>
  );
}

const NameForm = lazyPart(async () => (await import('./NameForm.tsx')).NameForm);
const TeamPersonMenu = lazyPart(async () => (await import('./TeamPerson.tsx')).TeamPersonMenu);

function PersonMenu() {
  const { view } = useSession();
  return view.person === null ? <NameMenu /> : <TeamPersonMenu person={view.person} />;
}

function NameMenu() {
  const name = usePersonName();
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Who you are"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <IconButton label={name === null ? 'Set your name' : `You are ${name}`}>
          <CircleUser />
        </IconButton>
      }
    >
      <NameForm takesFocus name={name} onDone={() => setOpen(false)} />
    </Popover>
  );
}
