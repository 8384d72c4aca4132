import { cx } from './cx.ts';

export function Mark({ className }: { className: string }) {
  return (
    <svg aria-hidden viewBox="0 0 20 20" className={cx('text-accent', className)}>
      <rect x="1" y="1" width="18" height="18" rx="4" fill="currentColor" />
      <g fill="none" stroke="var(--accent-fg)" strokeWidth="1.6" strokeLinecap="round">
        <path d="M6 6.5h.01M10 6.5h.01M14 6.5h.01M6 14h.01M10 14h.01M14 14h.01" strokeWidth="2.4" />
        <path d="M6 6.5c0 4 8 3.5 8 7.5" />
      </g>
    </svg>
  );
}
