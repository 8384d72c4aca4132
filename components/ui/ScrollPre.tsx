import type { ComponentProps } from 'react';
import { cx } from './cx.ts';

/** Preformatted text that can be scrolled with the keyboard. */
export function ScrollPre({ label, className, ...rest }: Omit<ComponentProps<'pre'>, 'className'> & { label: string; className: string }) {
  return <pre {...rest} tabIndex={0} role="region" aria-label={label} className={cx('focus-inset', className)} />;
}
