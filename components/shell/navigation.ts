import { Activity, CircleX, Gauge, History, type LucideProps, MessagesSquare, Puzzle, Wrench } from 'lucide-react';
import type { ComponentType } from 'react';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import type { Action } from '#lib/contract/actions.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { useIsShared } from '#lib/client/instance-queries.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';

export interface NavItem {
  readonly name: string;
  readonly href: string;
  readonly icon: ComponentType<LucideProps>;
  /** Pressed after `g`. */
  readonly key: string;
}

export const NAV_ITEMS: readonly NavItem[] = [
  { name: 'Overview', href: PAGES.overview, icon: Gauge, key: 'o' },
  { name: 'Tools', href: PAGES.tools, icon: Wrench, key: 't' },
  { name: 'Extensions', href: PAGES.extensions, icon: Puzzle, key: 'e' },
  { name: 'Calls', href: PAGES.calls, icon: Activity, key: 'c' },
  { name: 'Failures', href: PAGES.failures, icon: CircleX, key: 'f' },
  { name: 'Channels', href: PAGES.channels, icon: MessagesSquare, key: 'm' },
  { name: 'Timeline', href: PAGES.timeline, icon: History, key: 'l' },
];

const icons = () => import('./nav-icons.ts');

/** Shown by permission; without accounts to everybody. */
const SETTINGS_ITEMS: readonly (NavItem & { readonly action: Action })[] = [
  { name: 'Toolsets', href: PAGES.toolsets, icon: lazyPart(async () => (await icons()).ToolsetsIcon), key: 'x', action: 'toolsets.read' },
  { name: 'Secrets', href: PAGES.secrets, icon: lazyPart(async () => (await icons()).SecretsIcon), key: 's', action: 'secrets.read' },
];

/** Where several servers share the database. */
const INSTANCES_ITEM: NavItem & { readonly action: Action } = {
  name: 'Instances',
  href: PAGES.instances,
  icon: lazyPart(async () => (await icons()).InstancesIcon),
  key: 'i',
  action: 'snapshots.read',
};

/** Team pages, shown by permission. */
const TEAM_ITEMS: readonly (NavItem & { readonly action: Action })[] = [
  { name: 'Team', href: PAGES.team, icon: lazyPart(async () => (await icons()).TeamIcon), key: 'p', action: 'members.read' },
  { name: 'Tokens', href: PAGES.tokens, icon: lazyPart(async () => (await icons()).TokensIcon), key: 'k', action: 'profile.change' },
  { name: 'Audit', href: PAGES.audit, icon: lazyPart(async () => (await icons()).AuditIcon), key: 'a', action: 'audit.read' },
];

/** In the account menu, without an icon. */
const PROFILE: NavItem = { name: 'Profile', href: PAGES.profile, icon: () => null, key: '' };

/** The longest match: a page may be nested in another one. */
const BY_LENGTH = [...NAV_ITEMS, INSTANCES_ITEM, ...SETTINGS_ITEMS, ...TEAM_ITEMS, PROFILE].toSorted(
  (one, other) => other.href.length - one.href.length,
);

export function navItemOf(pathname: string): NavItem | null {
  return (
    BY_LENGTH.find((navItem) =>
      navItem.href === '/' ? pathname === '/' : pathname === navItem.href || pathname.startsWith(`${navItem.href}/`),
    ) ?? null
  );
}

/** Instances, settings and team pages, by permission. */
export function useFurtherNavItems(): readonly NavItem[] {
  const { view } = useSession();
  const settings = useIsShared() ? [INSTANCES_ITEM, ...SETTINGS_ITEMS] : SETTINGS_ITEMS;
  if (view.mode === 'local') return settings;
  return [...settings, ...TEAM_ITEMS].filter(({ action }) => view.may.includes(action));
}
