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
import { SignInForm } from './SignInForm.tsx';

/** Nobody is signed in any more: people sign in over the page, so that what they typed in it stays. */
export function SessionOver() {
  const { view, take } = useSession();
  const { retryNow } = useLiveState();
  const client = useQueryClient();
  const router = useRouter();
  const pathname = usePathname();
  const search = useSearchParams().toString();
  const [open, setOpen] = useState(true);

  function goOn(next: SessionView) {
    // Somebody else: nothing of what was shown to the one before is to stay.
    if (next.person?.id !== view.person?.id) return window.location.reload();
    take(next);
    retryNow();
    void client.invalidateQueries();
    router.refresh();
  }

  return (
    <>
      <StaleBanner
        icon={<LogOut aria-hidden className="size-4 shrink-0" />}
        action={
          <Button size="sm" onClick={() => setOpen(true)}>
            Sign in again
          </Button>
        }
      >
        You are signed out. What you see is not brought up to date.
      </StaleBanner>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Sign in again"
        description="You are signed out: by yourself in another tab, because you were not here for a long time, or because an admin changed something about your account. This page stays as it is, with what you typed."
      >
        <SignInForm
          ways={view.sign_in}
          {...(view.person === null ? {} : { email: view.person.email })}
          to={`${pathname}${search === '' ? '' : `?${search}`}`}
          onSignedIn={goOn}
        />
      </Dialog>
    </>
  );
}
