'use client';

import { useQueryClient } from '@tanstack/react-query';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { StaleBanner } from '#components/ui/StaleBanner.tsx';
import { useLiveState } from '#lib/client/live-context.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import type { SessionView } from '#lib/contract/account.ts';
import { LogOut } from 'lucide-react';
import { SignInForm } from './SignInView.tsx';

/** Sign-in is a dialog over the page, so that input on the page is kept. */
export function SessionOver() {
  const { view, apply } = useSession();
  const { retryNow } = useLiveState();
  const client = useQueryClient();
  const router = useRouter();
  const pathname = usePathname();
  const search = useSearchParams().toString();
  const [open, setOpen] = useState(true);

  function goOn(next: SessionView) {
    // Another person must not see data of the previous one.
    if (next.person?.id !== view.person?.id) return window.location.reload();
    apply(next);
    retryNow();
    void client.invalidateQueries();
    router.refresh();
  }

  return (
    <>
      <StaleBanner
        icon={<LogOut className="size-4 shrink-0" />}
        action={
          <Button size="sm" onClick={() => setOpen(true)}>
            Sign in again
          </Button>
        }
      >
        You are signed out. This page no longer updates.
      </StaleBanner>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Sign in again"
        description="You signed out in another tab, the session expired, or an admin changed your account. This page keeps what you typed."
      >
        <SignInForm
          ways={view.sign_in}
          email={view.person?.email}
          to={`${pathname}${search === '' ? '' : `?${search}`}`}
          onSignedIn={goOn}
        />
      </Dialog>
    </>
  );
}
