'use client';

import { TriangleAlert } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { drafts } from './drafts.ts';

/** Says so where what was typed does not outlive the page. */
export function DraftNote({ tool }: { tool: string }) {
  const isKept = useSyncExternalStore(
    drafts.subscribe,
    () => drafts.isKept(tool),
    () => true,
  );
  return (
    <div role="status" className="contents">
      {isKept ? null : (
        <p className="flex gap-2 rounded bg-degraded-soft px-3 py-2 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-degraded" />
          <span>
            This browser has no room to keep these arguments: they are lost when the page is reloaded or closed. Copy them first if you need
            them.
          </span>
        </p>
      )}
    </div>
  );
}
