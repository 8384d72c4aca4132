import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** Shows what will appear and how to make it appear. */
export function EmptyState({
  title,
  level,
  icon,
  children,
  actions,
  className,
}: {
  title: ReactNode;
  /** The title is the heading of the page. */
  level?: 1;
  icon?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  className?: string;
}) {
  const Title = level === 1 ? 'h1' : 'p';
  return (
    <div className={cx('flex min-w-0 flex-col items-center gap-2 px-4 py-10 text-center', className)}>
      {icon === undefined ? null : <span className="text-muted [&_svg]:size-5">{icon}</span>}
      <Title className="max-w-full font-medium break-words">{title}</Title>
      {children === undefined ? null : <div className="max-w-[min(100%,65ch)] break-words text-muted">{children}</div>}
      {actions === undefined ? null : <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
