import Link from 'next/link';
import type { ReactNode } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';

export interface NothingHereProps {
  title: string;
  /** Where to look instead, the likeliest first. */
  ways: readonly { readonly href: string; readonly words: string }[];
  /** Why there may be nothing, and what to do. */
  children: ReactNode;
}

/** The whole of a page whose address leads to nothing. */
export function NothingHere({ title, ways, children }: NothingHereProps) {
  return (
    <>
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        className="m-auto"
        title={title}
        actions={ways.map(({ href, words }, at) => (
          <Button key={href} asChild {...(at === 0 ? { variant: 'primary' as const } : {})}>
            <Link href={href}>{words}</Link>
          </Button>
        ))}
      >
        {children}
      </EmptyState>
    </>
  );
}
