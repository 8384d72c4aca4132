'use client';

import { RotateCcw, UserPlus } from 'lucide-react';
import { ListLink } from '#components/ui/ListLink.tsx';
import type { MouseEvent } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { cx } from '#components/ui/cx.ts';
import { PassingButton } from '#components/ui/PassingButton.tsx';
import { RelativeTime, useTimeZone } from '#components/ui/RelativeTime.tsx';
import { StateIcon } from '#components/ui/StateBadge.tsx';
import { STATES } from '#components/ui/states.ts';
import { placeOf } from '#lib/client/failure-markdown.ts';
import type { FailureGroup } from '#lib/contract/failure-group.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { countInWords, ignoringInWords, regressionInWords } from './review-words.ts';
import { useReview } from './ReviewProvider.tsx';
import { Sparkline } from './Sparkline.tsx';
import { inThousands } from '#components/ui/in-thousands.ts';
import { useKeptFocus } from './use-kept-focus.ts';

export interface FailureRowProps {
  group: FailureGroup;
  selected: boolean;
  /** True: it is shown beside the list, and the link need not be followed. */
  onOpen: (id: string) => boolean;
  onFocus: (id: string) => void;
}

/** One failure in the list: what, where, how often, since when, who has it. */
export function FailureRow({ group, selected, onOpen, onFocus }: FailureRowProps) {
  const regression = regressionInWords(group);
  const { clock } = useTimeZone();
  const link = useKeptFocus(group.id);

  /** A click shows it beside the list; Enter, which comes as a click without a pointer, opens its page. */
  function open(event: MouseEvent) {
    if (event.detail === 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    if (onOpen(group.id)) event.preventDefault();
  }

  return (
    <li
      data-failure={group.id}
      data-selected={selected}
      tabIndex={-1}
      className={cx(
        'focus-inset relative flex min-w-0 flex-col gap-1 px-4 py-2.5 hover:bg-hover',
        selected && 'bg-accent-soft hover:bg-accent-soft',
      )}
    >
      <div className="flex min-w-0 items-start gap-2">
        <span className="mt-1 shrink-0">
          <StateIcon state={group.status} className="size-3.5" />
          <span className="sr-only">{STATES[group.status].word}</span>
        </span>
        <ListLink
          ref={link}
          href={PAGES.failure(group.id)}
          onClick={open}
          onFocus={() => onFocus(group.id)}
          aria-current={selected ? 'true' : undefined}
          className="line-clamp-2 min-w-0 flex-1 rounded-sm font-medium break-words row-link"
        >
          <CodeText text={group.title} />
        </ListLink>
        <span className="tabular shrink-0 text-sm text-muted">
          <RelativeTime time={group.last_seen} />
        </span>
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 pl-5.5 text-sm text-muted">
        {regression === null ? null : (
          <Badge tone="failed" icon={<RotateCcw aria-hidden />}>
            Regression: {regression}
          </Badge>
        )}
        <span className="min-w-0 truncate font-mono text-xs text-fg">{placeOf(group.latest) ?? group.extension}</span>
        <span className="min-w-0 truncate">{group.extension}</span>
        {group.status === 'ignored' ? <span>{ignoringInWords(group.ignore_until, clock)}</span> : null}
        {group.status === 'resolved' && group.resolved_by !== null && group.resolved_by.revision !== null ? (
          <span>fixed in {group.resolved_by.revision}</span>
        ) : null}
        <span className="ml-auto flex items-center gap-3">
          <Sparkline trend={group.trend} />
          <span className="tabular" title={countInWords(group.count)}>
            {inThousands(group.count)}×
          </span>
          <Assignee group={group} />
        </span>
      </div>
    </li>
  );
}

function Assignee({ group }: { group: FailureGroup }) {
  const review = useReview();
  if (group.assignee !== null) {
    const isOff = group.assignee_member?.active === false;
    return (
      <span className="flex max-w-40 min-w-0 gap-1">
        <span className={cx('truncate', isOff ? 'text-muted' : 'text-fg')} title={`${group.assignee} has it`}>
          {group.assignee}
        </span>
        {isOff ? <span className="shrink-0 text-degraded">(account off)</span> : null}
      </span>
    );
  }
  if (!review.isOffered) return null;
  return (
    <PassingButton
      heir="[data-failure]"
      size="sm"
      variant="quiet"
      icon={<UserPlus aria-hidden />}
      aria-label={`Take “${group.title}”`}
      onClick={() => review.assignToMe([group.id])}
      className="relative z-10 -my-1 text-muted"
    >
      Take
    </PassingButton>
  );
}
