'use client';

import { useQuery } from '@tanstack/react-query';
import { PencilLine, X } from 'lucide-react';
import Link from 'next/link';
import { IconButton } from '#components/ui/IconButton.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';

/** Whose arguments are being edited, and that what is run joins its chain of replays. */
export function ReplayNote({ id, onForget }: { id: string; onForget: () => void }) {
  const { data: call } = useQuery(queries.call(id));
  return (
    <div role="note" className="flex items-start gap-2 rounded bg-subtle px-3 py-2 text-sm">
      <PencilLine aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        An edit of{' '}
        <Link href={PAGES.call(id)} className="rounded-sm underline underline-offset-2">
          the call
        </Link>{' '}
        {call === undefined ? (
          <code className="text-xs">…{id.slice(-8)}</code>
        ) : (
          <span className="text-muted">
            (<RelativeTime time={call.started_at} />)
          </span>
        )}
        . What is run here is kept as its replay.
      </span>
      <IconButton size="sm" label="Run as a call of its own" onClick={onForget} className="-my-1">
        <X aria-hidden />
      </IconButton>
    </div>
  );
}
