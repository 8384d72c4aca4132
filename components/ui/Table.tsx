import type { ComponentProps } from 'react';
import { cx } from './cx.ts';

/** The wrapper scrolls, not the page; the header is sticky. */
export function Table({ className, label, ...rest }: ComponentProps<'table'> & { label: string }) {
  return (
    <div className="relative min-w-0 overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table {...rest} className={cx('w-full border-collapse text-left text-sm', className)} />
    </div>
  );
}

export function Th({ className, scope = 'col', ...rest }: ComponentProps<'th'>) {
  return (
    <th
      {...rest}
      scope={scope}
      className={cx('h-8 border-b px-3 text-xs font-medium whitespace-nowrap text-muted first:pl-4 last:pr-4', className)}
    />
  );
}

export function Tr({ className, ...rest }: ComponentProps<'tr'>) {
  return <tr {...rest} className={cx('group/row border-b last:border-b-0 has-[a:hover]:bg-hover', className)} />;
}

export function Td({ className, ...rest }: ComponentProps<'td'>) {
  return <td {...rest} className={cx('h-9 px-3 py-2 align-middle first:pl-4 last:pr-4', className)} />;
}

export function TdNumber({ className, ...rest }: ComponentProps<'td'>) {
  return <td {...rest} className={cx('tabular h-9 px-3 py-2 text-right align-middle whitespace-nowrap first:pl-4 last:pr-4', className)} />;
}
