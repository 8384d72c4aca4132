import type { ReactNode } from 'react';

/** Before anybody is known: the name of the program, and one thing to do. */
export function EntryFrame({ title, note, children }: { title: ReactNode; note?: ReactNode; children: ReactNode }) {
  return (
    <main className="flex min-h-dvh flex-col items-center px-4 py-8 sm:justify-center sm:py-12">
      <div className="flex w-full max-w-sm min-w-0 flex-col gap-6">
        <p className="flex items-center gap-2 text-lg font-semibold">
          <svg aria-hidden viewBox="0 0 20 20" className="size-6 text-accent">
            <rect x="1" y="1" width="18" height="18" rx="4" fill="currentColor" />
            <g fill="none" stroke="var(--accent-fg)" strokeWidth="1.6" strokeLinecap="round">
              <path d="M6 6.5h.01M10 6.5h.01M14 6.5h.01M6 14h.01M10 14h.01M14 14h.01" strokeWidth="2.4" />
              <path d="M6 6.5c0 4 8 3.5 8 7.5" />
            </g>
          </svg>
          Switchboard
        </p>
        <div className="flex min-w-0 flex-col gap-5 rounded border bg-panel p-5 sm:p-6">
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
