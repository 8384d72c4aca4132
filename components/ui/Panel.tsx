import type { ReactNode } from 'react';
import { cx } from './cx.ts';

interface PanelProps {
  title?: ReactNode;
  /** Secondary text beside the title: a count, a version. */
  note?: ReactNode;
  actions?: ReactNode;
  /** No padding, for tables and lists with their own. */
  flush?: boolean;
  level?: 2 | 3;
  id?: string;
  className?: string;
  children: ReactNode;
}

export function Panel({ title, note, actions, flush = false, level = 2, id, className, children }: PanelProps) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section id={id} className={cx('min-w-0 rounded border bg-panel', className)}>
      {title === undefined ? null : (
        <header className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-1 max-sm:py-2">
          <Heading className="text-base font-semibold">{title}</Heading>
          {note === undefined ? null : <span className="tabular text-sm text-muted">{note}</span>}
          {actions === undefined ? null : <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={flush ? 'min-w-0' : 'min-w-0 p-4'}>{children}</div>
    </section>
  );
}

export function Section({ title, note, className, children }: Pick<PanelProps, 'title' | 'note' | 'className' | 'children'>) {
  return (
    <section className={cx('flex min-w-0 flex-col gap-2', className)}>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="text-sm font-semibold">{title}</h3>
        {note === undefined ? null : <span className="tabular text-sm text-muted">{note}</span>}
      </header>
      {children}
    </section>
  );
}

interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

export function Facts({ items, className }: { items: readonly (Fact | false | null | undefined)[]; className?: string }) {
  return (
    <dl
      className={cx(
        'grid grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] max-sm:grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm',
        className,
      )}
    >
      {items.map((item) =>
        item ? (
          <div key={item.name} className="contents">
            <dt className="min-h-6 leading-6 break-words text-muted">{item.name}</dt>
            <dd className="tabular min-h-6 min-w-0 leading-6 break-words">{item.value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

export function PageHead({ title, badge, note, actions }: { title: ReactNode; badge?: ReactNode; note?: ReactNode; actions?: ReactNode }) {
  return (
    <header className="flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold break-words">{title}</h1>
          {badge}
        </div>
        {note === undefined ? null : <div className="text-base text-muted">{note}</div>}
      </div>
      {actions === undefined ? null : <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
