'use client';

import { useQueryClient } from '@tanstack/react-query';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { IconButton } from '#components/ui/IconButton.tsx';
import { Kbd } from '#components/ui/Kbd.tsx';
import { usePageKeys } from '#components/ui/use-page-keys.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { neighbourOf } from '#lib/client/call-neighbours.ts';
import type { Step } from '#lib/client/call-neighbours.ts';
import { beginHere } from '#lib/client/leaving.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';

const NONE: Record<Step, string> = { newer: 'No newer call was found.', older: 'This is the oldest call.' };

/** From the page of a call to the next one of the list it was opened from, up and down as in that list. */
export function CallNeighbours({ call }: { call: Pick<Call, 'id' | 'started_at'> }) {
  const client = useQueryClient();
  const router = useRouter();
  const [said, setSaid] = useState<{ readonly id: string; readonly words: string } | null>(null);

  function go(step: Step) {
    const isStillHere = beginHere();
    neighbourOf(client, call, step).then(
      (id) => {
        // In place of this page: Back leads to the list, however many were looked through.
        if (id === null) setSaid({ id: call.id, words: NONE[step] });
        else if (isStillHere()) router.replace(PAGES.call(id));
      },
      (problem: unknown) => setSaid({ id: call.id, words: messageOf(problem) }),
    );
  }

  usePageKeys({ j: () => go('older'), k: () => go('newer') });

  return (
    <span className="flex items-center gap-1">
      <span role="status" className="text-sm text-muted">
        {said?.id === call.id ? said.words : null}
      </span>
      <IconButton size="sm" label="Newer call" hint={<Kbd>k</Kbd>} onClick={() => go('newer')}>
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton size="sm" label="Older call" hint={<Kbd>j</Kbd>} onClick={() => go('older')}>
        <ChevronDown aria-hidden />
      </IconButton>
    </span>
  );
}
