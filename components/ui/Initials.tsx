import { cx } from './cx.ts';

/** Decorative: the name is beside it. */
export function Initials({ letters, size = 'md', className }: { letters: string; size?: 'sm' | 'md' | 'lg'; className?: string }) {
  return (
    <span
      aria-hidden
      className={cx(
        'inline-flex shrink-0 items-center justify-center rounded-full bg-accent-soft font-semibold text-fg select-none',
        size === 'sm' ? 'size-6 text-[0.625rem]' : size === 'md' ? 'size-7 text-xs' : 'size-10 text-base',
        className,
      )}
    >
      {letters}
    </span>
  );
}
