import { cx } from './cx.ts';

/** Decorative: the name is beside it. */
export function Initials({
  letters,
  size = 'md',
  className,
}: {
  letters: string;
  size?: 'sm' | 'md' | 'lg';
  className?: string | undefined;
}) {
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

interface Icon {
  readonly src: string;
  readonly theme?: string | undefined;
}

/** Data URLs only: nothing is loaded from elsewhere, and an image runs no scripts. */
const INLINE = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/i;

/** Icon of an MCP server or its tool; nothing without one. Decorative: the name is beside it. */
export function ServerIcon({ icons = [], className }: { icons?: readonly Icon[] | undefined; className?: string | undefined }) {
  const inline = icons.filter(({ src }) => INLINE.test(src));
  const icon = inline.find(({ theme }) => theme === undefined) ?? inline[0];
  if (icon === undefined) return null;
  // oxlint-disable-next-line nextjs/no-img-element -- its bytes are inline
  return <img src={icon.src} alt="" decoding="async" className={cx('size-4 shrink-0 rounded-sm object-contain', className)} />;
}
