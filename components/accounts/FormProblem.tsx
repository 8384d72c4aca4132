import { CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '#components/ui/cx.ts';

/** Why a form was refused. It has its place from the first, so that nothing moves when it is said. */
export function FormProblem({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div role="alert" className={cx('foreign flex min-h-10 items-start gap-2 text-sm', className)}>
      {children === null ? null : (
        <>
          <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
          <span className="min-w-0 font-medium text-failed">{children}</span>
        </>
      )}
    </div>
  );
}
