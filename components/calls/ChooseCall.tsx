import Link from 'next/link';
import type { ReactNode } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { PAGES } from '#lib/contract/paths.ts';

/** There is nothing to compare: why, and the way to the calls. */
export function ChooseCall({ title, children }: { title: string; children: ReactNode }) {
  return (
    <EmptyState
      title={title}
      actions={
        <Button asChild>
          <Link href={PAGES.calls}>Choose a call</Link>
        </Button>
      }
    >
      {children}
    </EmptyState>
  );
}
