import { LoaderCircle } from 'lucide-react';
import { cx } from './cx.ts';

/** A turning circle. Decorative unless `label` is given: say in words beside it what is going on. */
export function Spinner({ className, label }: { className?: string; label?: string }) {
  return (
    <span role={label === undefined ? undefined : 'status'} className={cx('inline-flex shrink-0', className)}>
      <LoaderCircle aria-hidden className="spinner size-[1em]" />
      {label === undefined ? null : <span className="sr-only">{label}</span>}
    </span>
  );
}
