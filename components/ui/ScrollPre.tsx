import type { ComponentProps } from 'react';
import { cx } from './cx.ts';

/** Text as it is, in a box that the keyboard can scroll. */
export function ScrollPre({ label, className, ...rest }: Omit<ComponentProps<'pre'>, 'className'> & { label: string; className: string }) {
  return <pre {...rest} tabIndex={0} role="region" aria-label={label} className={cx('focus-inset', className)} />;
}
