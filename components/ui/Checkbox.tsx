import type { ComponentProps } from 'react';
import { cx } from './cx.ts';

export function Checkbox({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input {...rest} type="checkbox" className={cx('size-4 shrink-0 accent-accent', className)} />;
}
