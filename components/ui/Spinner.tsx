import { LoaderCircle } from 'lucide-react';
import { cx } from './cx.ts';

/** Decorative without `label`: the state must be in text beside it. */
export function Spinner({ className, label }: { className?: string; label?: string }) {
  return (
    <span role={label === undefined ? undefined : 'status'} className={cx('inline-flex shrink-0', className)}>
      <LoaderCircle aria-hidden className="spinner size-[1em]" />
      {label === undefined ? null : <span className="sr-only">{label}</span>}
    </span>
  );
}
