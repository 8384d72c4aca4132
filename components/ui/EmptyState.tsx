import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** Says what would be here and how to get it. */
export function EmptyState({
  title,
  icon,
  children,
  actions,
  className,
}: {
  title: ReactNode;
  icon?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  className?: string;
}) {
  return (
    <div className={cx('flex flex-col items-center gap-2 px-4 py-10 text-center', className)}>
      {icon === undefined ? null : <span className="text-muted [&_svg]:size-5">{icon}</span>}
      <p className="font-medium">{title}</p>
      {children === undefined ? null : <div className="max-w-prose text-muted">{children}</div>}
      {actions === undefined ? null : <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
