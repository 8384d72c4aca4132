'use client';

import { ChevronDown, ChevronRight, Waypoints } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { placeOf } from '#lib/client/failure-markdown.ts';
import type { CauseFold } from './cause-folds.ts';
import { FailureRow } from './FailureRow.tsx';
import type { FailureRowProps } from './FailureRow.tsx';
import { useReview } from './ReviewProvider.tsx';

/** Several extensions that one fault broke: one entry, with what can be done to all of them at once. */
export function CauseFoldRow({
  fold,
  selected,
  ...row
}: { fold: CauseFold; selected: string | null } & Omit<FailureRowProps, 'group' | 'selected'>) {
  const review = useReview();
  const { first, others } = fold;
  const all = [first, ...others];
  const holdsSelected = others.some((group) => group.id === selected);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? holdsSelected;
  const ids = all.map((group) => group.id);
  const extensions = all.map((group) => group.extension);
  const total = first.related.length + 1;
  return (
    <li className="flex flex-col">
      <div className="flex min-w-0 flex-wrap items-start gap-x-3 gap-y-2 bg-subtle px-4 py-2">
        <Waypoints aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
        <p className="min-w-0 flex-1 basis-56 text-sm">
          <strong className="font-semibold">
            One cause broke {total} extensions
            {first.latest.file === null || first.latest.file.startsWith(`${first.extension}/`) ? '' : ': '}
          </strong>
          {first.latest.file === null || first.latest.file.startsWith(`${first.extension}/`) ? null : (
            <span className="font-mono text-xs break-all">{placeOf(first.latest)}</span>
          )}
          <span className="block truncate text-muted" title={extensions.join(', ')}>
            {extensions.join(', ')}
          </span>
        </p>
        <span hidden={!review.isOffered} className="flex flex-wrap gap-2">
          {all.some((group) => group.status === 'open') ? (
            <Button size="sm" pending={review.isPending} onClick={() => review.change(ids, { status: 'acknowledged' })}>
              Acknowledge all
            </Button>
          ) : null}
          <Button size="sm" onClick={() => review.assignToMe(ids)}>
            Take all
          </Button>
        </span>
      </div>
      <ol className="flex flex-col divide-y">
        <FailureRow group={first} selected={first.id === selected} {...row} />
        {open ? others.map((group) => <FailureRow key={group.id} group={group} selected={group.id === selected} {...row} />) : null}
      </ol>
      <Button
        size="sm"
        variant="quiet"
        aria-expanded={open}
        icon={open ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
        onClick={() => setChosen(!open)}
        className="mb-1 ml-8 self-start text-muted"
      >
        {open ? 'Fold' : 'Show'} {others.length} more with this cause
      </Button>
    </li>
  );
}
