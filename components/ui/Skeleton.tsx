import { cx } from './cx.ts';

/** Appears after 300 ms, so that fast responses show none. */
export function Skeleton({ lines = 3, label = 'Loading…', className }: { lines?: number; label?: string; className?: string }) {
  return (
    <div role="status" className={cx('flex animate-appear-late flex-col gap-3 p-4', className)}>
      <span className="sr-only">{label}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span
          key={index}
          aria-hidden
          className={cx('block h-3.5 rounded-sm bg-hover', index % 3 === 1 ? 'w-4/5' : index % 3 === 2 ? 'w-3/5' : 'w-full')}
        />
      ))}
    </div>
  );
}
