import Link from 'next/link';
import type { ReactNode } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/QueryState.tsx';

export interface NothingHereProps {
  title: string;
  /** Most likely destination first. */
  ways: readonly { readonly href: string; readonly words: string }[];
  /** Possible reasons and next steps. */
  children: ReactNode;
}

export function NothingHere({ title, ways, children }: NothingHereProps) {
  return (
    <EmptyState
      className="m-auto"
      level={1}
      title={title}
      actions={ways.map(({ href, words }, at) => (
        <Button key={href} asChild {...(at === 0 ? { variant: 'primary' as const } : {})}>
          <Link href={href}>{words}</Link>
        </Button>
      ))}
    >
      {children}
    </EmptyState>
  );
}
