import type { ReactNode } from 'react';
import { LinkButton } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/QueryState.tsx';

export interface NothingHereProps {
  title: string;
  /** Most likely destination first. */
  ways: readonly { readonly href: string; readonly words: string }[];
  children: ReactNode;
}

export function NothingHere({ title, ways, children }: NothingHereProps) {
  return (
    <EmptyState
      className="m-auto"
      level={1}
      title={title}
      actions={ways.map(({ href, words }, at) => (
        <LinkButton key={href} href={href} variant={at === 0 ? 'primary' : undefined}>
          {words}
        </LinkButton>
      ))}
    >
      {children}
    </EmptyState>
  );
}
