'use client';

import { Ban, ChevronDown, ChevronRight, CircleCheck, CircleX } from 'lucide-react';
import { useId } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { cx } from '#components/ui/cx.ts';
import { Facts } from '#components/ui/Panel.tsx';
import { ExactTime, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { TONE_TEXT } from '#components/ui/states.ts';
import type { AuditEntry } from '#lib/contract/audit.ts';
import type { AuditOutcome } from '#lib/contract/audit-events.ts';
import type { AuditValues } from './audit-filter.ts';
import { ACTOR_WORDS, detailFacts, OUTCOME_WORDS, whatInWords } from './audit-words.ts';

const OUTCOMES = {
  done: { tone: 'ok', icon: CircleCheck },
  refused: { tone: 'degraded', icon: Ban },
  failed: { tone: 'failed', icon: CircleX },
} as const;

export function OutcomeIcon({ outcome }: { outcome: AuditOutcome }) {
  const { icon: Icon, tone } = OUTCOMES[outcome];
  return <Icon aria-hidden className={cx('size-3.5 shrink-0', TONE_TEXT[tone])} />;
}

export interface AuditRowProps {
  entry: AuditEntry;
  isOpen: boolean;
  onToggle: () => void;
  onFilter: (change: Partial<AuditValues>) => void;
}

/** One entry on a line; pressed, it shows all that is known. */
export function AuditRow({ entry, isOpen, onToggle, onFilter }: AuditRowProps) {
  const id = useId();
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={onToggle}
        className={cx('focus-inset flex w-full min-w-0 items-start gap-2 px-3 py-2 text-left text-sm hover:bg-hover', isOpen && 'bg-hover')}
      >
        <Arrow aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
        <span className="grid min-w-0 flex-1 gap-x-4 gap-y-0.5 md:grid-cols-[7rem_minmax(0,11rem)_minmax(0,1fr)_6rem]">
          <RelativeTime time={entry.at} className="tabular text-muted max-md:hidden" />
          <bdi className="min-w-0 truncate font-medium" title={entry.actor.name}>
            {entry.actor.name}
          </bdi>
          <span className="min-w-0 md:truncate">
            {whatInWords(entry.action)}
            {entry.target === null ? null : (
              <>
                : <bdi className="font-medium break-words">{entry.target}</bdi>
              </>
            )}
          </span>
          <span className="flex items-center gap-1.5">
            <OutcomeIcon outcome={entry.outcome} />
            {OUTCOME_WORDS[entry.outcome]}
            <RelativeTime time={entry.at} className="tabular ml-1.5 text-muted md:hidden" />
          </span>
        </span>
      </button>
      {isOpen ? (
        <div id={id} className="flex flex-col gap-3 border-t bg-subtle px-4 py-3 md:pl-9">
          <Facts
            items={[
              { name: 'When', value: <ExactTime time={entry.at} /> },
              { name: 'Who', value: `${entry.actor.name} (${ACTOR_WORDS[entry.actor.kind].toLowerCase()})` },
              { name: 'What', value: <code className="text-xs">{entry.action}</code> },
              { name: 'To what', value: entry.target ?? 'the server as a whole' },
              { name: 'From', value: entry.address ?? 'the server itself' },
              ...detailFacts(entry.detail),
            ]}
          />
          <div className="flex flex-wrap gap-2">
            <Button size="sm" onClick={() => onFilter({ actor: entry.actor.name })}>
              Only by {entry.actor.name}
            </Button>
            <Button size="sm" onClick={() => onFilter({ action: entry.action })}>
              Only “{whatInWords(entry.action)}”
            </Button>
          </div>
        </div>
      ) : null}
    </li>
  );
}
