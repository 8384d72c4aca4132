'use client';

import { useQuery } from '@tanstack/react-query';
import { Ellipsis } from 'lucide-react';
import { useLinkStatus } from 'next/link';
import { usePathname, useRouter } from 'next/navigation';
import { DropdownMenu, MenuItem } from '#components/ui/DropdownMenu.tsx';
import { ListLink, useDelayedPending } from '#components/ui/ListLink.tsx';
import { Mark } from '#components/ui/Mark.tsx';
import { Spinner } from '#components/ui/Button.tsx';
import { cx } from '#components/ui/cx.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { type NavItem, navItemOf, NAV_ITEMS, useFurtherNavItems } from './navigation.ts';

/** Sidebar: labels from 1024 px, icons with small labels from 840 px. */
export function SideNavigation() {
  const here = navItemOf(usePathname());
  const further = useFurtherNavItems();
  return (
    <nav aria-label="Main" className="sticky top-0 flex h-dvh w-20 flex-col gap-1 border-r bg-panel px-2 py-2 max-md:hidden lg:w-52">
      <ListLink
        href="/"
        className="mb-1 flex h-9 items-center gap-2 rounded px-2 font-semibold max-lg:justify-center"
        aria-label="Switchboard, overview"
      >
        <Mark className="size-5" />
        <span className="max-lg:hidden">Switchboard</span>
      </ListLink>
      {NAV_ITEMS.map((navItem) => (
        <SideItem key={navItem.href} navItem={navItem} current={here?.href === navItem.href} />
      ))}
      {further.length === 0 ? null : <hr className="mx-2 my-1" />}
      {further.map((navItem) => (
        <SideItem key={navItem.href} navItem={navItem} current={here?.href === navItem.href} />
      ))}
    </nav>
  );
}

function SideItem({ navItem: { name, href, icon }, current }: { navItem: NavItem; current: boolean }) {
  return (
    <ListLink
      href={href}
      aria-current={current ? 'page' : undefined}
      className={cx(
        'relative flex items-center rounded transition-colors max-lg:flex-col max-lg:gap-1 max-lg:py-2 max-lg:text-xs lg:h-8 lg:gap-2 lg:px-2',
        current ? 'bg-accent-soft font-medium text-fg [&_svg]:text-accent' : 'text-muted hover:bg-hover hover:text-fg',
      )}
    >
      <NavIcon icon={icon} className="size-4" />
      {name}
      {href === PAGES.failures ? (
        <OpenCount tight="below-lg" className="max-lg:absolute max-lg:top-1 max-lg:left-1/2 max-lg:ml-2 lg:ml-auto" />
      ) : null}
      {href === PAGES.channels ? <WaitingCount className="max-lg:absolute max-lg:top-1 max-lg:left-1/2 max-lg:ml-2 lg:ml-auto" /> : null}
    </ListLink>
  );
}

/** Pages in the bottom bar of a phone; the others are behind "More". */
const ON_PHONE = 4;

const phoneItem = 'focus-inset relative flex h-14 w-full flex-col items-center justify-center gap-1 text-xs';

export function BottomNavigation() {
  const router = useRouter();
  const here = navItemOf(usePathname());
  const rest = [...NAV_ITEMS.slice(ON_PHONE), ...useFurtherNavItems()];
  const inRest = rest.some((navItem) => navItem.href === here?.href);
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-20 grid grid-cols-5 border-t bg-panel pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {NAV_ITEMS.slice(0, ON_PHONE).map(({ name, href, icon }) => {
        const current = here?.href === href;
        return (
          <ListLink
            key={href}
            href={href}
            aria-current={current ? 'page' : undefined}
            className={cx(phoneItem, current ? 'font-medium text-fg [&_svg]:text-accent' : 'text-muted')}
          >
            <NavIcon icon={icon} className="size-5" />
            {name}
          </ListLink>
        );
      })}
      <DropdownMenu
        trigger={
          <button type="button" className={cx(phoneItem, inRest ? 'font-medium text-fg [&_svg]:text-accent' : 'text-muted')}>
            <Ellipsis className="size-5" />
            {inRest ? here?.name : 'More'}
            <OpenCount tight="always" className="absolute top-1 right-1/2 mr-2" />
            <WaitingCount className="absolute top-1 left-1/2 ml-2" />
          </button>
        }
      >
        {rest.map(({ name, href, icon: Icon }) => (
          <MenuItem key={href} icon={<Icon />} onSelect={() => router.push(href)}>
            {name}
            {href === PAGES.failures ? <OpenCount className="ml-auto" /> : null}
            {href === PAGES.channels ? <WaitingCount className="ml-auto" /> : null}
          </MenuItem>
        ))}
      </DropdownMenu>
    </nav>
  );
}

/** Becomes a spinner while the page loads. Has its size before its icon has loaded. */
function NavIcon({ icon: Icon, className }: { icon: NavItem['icon']; className: string }) {
  const { pending } = useLinkStatus();
  return (
    <span className={cx('inline-flex shrink-0 items-center justify-center', className)}>
      {useDelayedPending(pending) ? <Spinner /> : <Icon className="size-full" />}
    </span>
  );
}

const MAX_COUNT = 99;

/**
 * Number of open failures, and in a team those that mention the person. Renders nothing for zero.
 * @param tight shows only one of the two: always, or below 1024 px
 */
function OpenCount({ tight, className }: { tight?: 'always' | 'below-lg'; className?: string }) {
  const { open = 0, needs_you: mentioned = 0 } = useQuery(failureQueries.counts()).data ?? {};
  if (open === 0 && mentioned === 0) return null;
  return (
    <span className={cx('flex gap-1', className)}>
      {mentioned === 0 ? null : (
        <span className="tabular min-w-4 rounded-full bg-accent px-1 text-center text-xs leading-4 font-medium text-accent-fg">
          <span aria-hidden>@{short(mentioned)}</span>
          <span className="sr-only">
            , {mentioned} {mentioned === 1 ? 'mentions' : 'mention'} you
          </span>
        </span>
      )}
      {open === 0 ? null : (
        <span
          className={cx(
            'tabular min-w-4 rounded-full bg-failed-soft px-1 text-center text-xs leading-4 font-medium text-failed',
            mentioned === 0 ? '' : tight === 'always' ? 'sr-only' : tight === 'below-lg' ? 'max-lg:sr-only' : '',
          )}
        >
          <span aria-hidden>{short(open)}</span>
          <span className="sr-only">, {open} open</span>
        </span>
      )}
    </span>
  );
}

function short(count: number): string {
  return count > MAX_COUNT ? `${MAX_COUNT}+` : String(count);
}

function WaitingCount({ className }: { className?: string }) {
  const { data } = useQuery(queries.channels());
  const count = (data?.channels ?? []).reduce((sum, channel) => sum + channel.queued + channel.failed, 0);
  if (count === 0) return null;
  return (
    <span
      className={cx(
        'tabular min-w-4 rounded-full bg-degraded-soft px-1 text-center text-xs leading-4 font-medium text-degraded',
        className,
      )}
    >
      <span aria-hidden>{short(count)}</span>
      <span className="sr-only">
        , {count} {count === 1 ? 'message waits' : 'messages wait'}
      </span>
    </span>
  );
}
