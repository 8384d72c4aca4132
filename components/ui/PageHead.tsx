import type { ReactNode } from 'react';

/** Page heading with notes and actions. */
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
