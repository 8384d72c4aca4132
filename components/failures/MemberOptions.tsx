'use client';

import { cx } from '#components/ui/cx.ts';
import { Initials } from '#components/ui/Initials.tsx';
import type { Choice } from './member-matches.ts';

export interface MemberOptionsProps {
  /** Of the list; its options have `<id>-<place>`. */
  id: string;
  label: string;
  members: readonly Choice[];
  /** The place of the one that Enter takes. */
  at: number;
  me: string | null;
  onChoose: (member: Choice) => void;
  className?: string;
}

/** Members to choose from, under a field that keeps the focus. */
export function MemberOptions({ id, label, members, at, me, onChoose, className }: MemberOptionsProps) {
  return (
    <div
      ref={bringIntoView}
      id={id}
      role="listbox"
      aria-label={label}
      className={cx('max-h-64 scroll-my-20 overflow-y-auto rounded border bg-raised py-1 shadow-overlay', className)}
    >
      {members.map((member, place) => (
        <button
          key={member.id}
          id={`${id}-${place}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={place === at}
          // The focus stays in the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(member)}
          className={cx(
            'flex w-full min-w-0 items-center gap-2 px-2.5 py-1.5 text-left hover:bg-hover pointer-coarse:py-2.5',
            place === at && 'bg-accent-soft',
          )}
        >
          <Initials size="sm" letters={member.initials} className={place === at ? 'bg-panel' : ''} />
          <span className="min-w-0 truncate">{member.name}</span>
          {member.id === me ? <span className="text-sm text-muted">you</span> : null}
        </button>
      ))}
    </div>
  );
}

/** When it opens. */
function bringIntoView(list: HTMLDivElement | null) {
  list?.scrollIntoView({ block: 'nearest' });
}
