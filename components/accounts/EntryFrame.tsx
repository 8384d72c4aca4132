import type { ReactNode } from 'react';
import { cx } from '#components/ui/cx.ts';
import { Mark } from '#components/ui/Mark.tsx';

export function EntryFrame({
  title,
  note,
  wide = false,
  children,
}: {
  title: ReactNode;
  note?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <main className="flex min-h-dvh flex-col items-center px-4 py-8 sm:justify-center sm:py-12">
      <div className={cx('flex w-full min-w-0 flex-col gap-6', wide ? 'max-w-xl' : 'max-w-sm')}>
        <p className="flex items-center gap-2 text-lg font-semibold">
          <Mark className="size-6" />
          Switchboard
        </p>
        <div className="flex min-w-0 flex-col gap-4 rounded border bg-panel p-5 sm:p-6">
          <header className="flex min-w-0 flex-col gap-1">
            <h1 className="text-xl font-semibold break-words">{title}</h1>
            {note === undefined ? null : <div className="text-muted">{note}</div>}
          </header>
          {children}
        </div>
      </div>
    </main>
  );
}
