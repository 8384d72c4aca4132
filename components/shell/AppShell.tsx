import type { ReactNode } from 'react';
import { Toaster } from '#components/ui/Sonner.tsx';
import { cx } from '#components/ui/cx.ts';
import { AdminTokenDialog } from './AdminTokenDialog.tsx';
import { LazyOverlays } from './LazyOverlays.tsx';
import { ConnectionBanner } from './ConnectionBadge.tsx';
import { Keys } from './Keys.tsx';
import { BottomNavigation, SideNavigation } from './Navigation.tsx';
import { TopBar } from './TopBar.tsx';
import { WatchBanner } from './WatchBadge.tsx';

export interface AppShellProps {
  notice?: ReactNode;
  isTeam: boolean;
  children: ReactNode;
}

export function AppShell({ notice, isTeam, children }: AppShellProps) {
  return (
    <>
      <SkipLinks />
      <div className="flex min-h-dvh">
        <SideNavigation />
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar />
          {notice}
          <ConnectionBanner />
          <WatchBanner />
          <main id="content" tabIndex={-1} className="flex min-w-0 flex-1 flex-col px-4 pt-4 pb-24 outline-none md:pb-8 lg:px-6 lg:pt-5">
            {children}
          </main>
        </div>
      </div>
      <BottomNavigation />
      <LazyOverlays />
      <Keys />
      {isTeam ? null : <AdminTokenDialog />}
      <Toaster />
    </>
  );
}

const SKIP_LINK =
  'sr-only rounded bg-accent font-medium text-accent-fg focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:px-3 focus:py-2';

/**
 * First in the tab order: to the page content, and to the form of a tool. The selector names the root, because `:has()` of any
 * ancestor styles the complete page again for each added element.
 */
function SkipLinks() {
  return (
    <>
      <a href="#content" className={SKIP_LINK}>
        Skip to the content
      </a>
      <a href="#tool-form" className={cx(SKIP_LINK, 'hidden [html:has(#tool-form)_&]:block')}>
        Skip to the form
      </a>
    </>
  );
}
