'use client';

import { useQuery } from '@tanstack/react-query';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import type { ComponentProps, KeyboardEvent } from 'react';
import { Textarea } from '#components/ui/Field.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { accountQueries } from '#lib/client/account-queries.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { completeMention, matchMembers, mentionAt } from './member-matches.ts';
import type { Choice, MentionPlace } from './member-matches.ts';
import { MemberOptions } from './MemberOptions.tsx';

export interface MentionFieldProps extends Omit<ComponentProps<'textarea'>, 'value' | 'onChange'> {
  value: string;
  onText: (text: string) => void;
}

/** A comment in which `@` completes the names of members. */
export function MentionField({ value, onText, onKeyDown, ...rest }: MentionFieldProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const me = useSession().view.person?.id ?? null;
  const { data } = useQuery(accountQueries.members());
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  /** Where the list was closed by Escape; it stays closed for this `@`. */
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const goTo = useRef<number | null>(null);

  const place = mentionAt(value, caret);
  const members = place === null || place.from === closedAt ? [] : offered(data?.members ?? [], place);
  const chosen = Math.min(at, members.length - 1);
  const isOpen = members.length > 0;

  // The caret can only be put where the text already is.
  useLayoutEffect(() => {
    if (goTo.current === null) return;
    field.current?.setSelectionRange(goTo.current, goTo.current);
    goTo.current = null;
  }, [value]);

  function choose({ name }: Choice) {
    if (place === null) return;
    const done = completeMention(value, place, name);
    onText(done.text);
    setCaret(done.caret);
    goTo.current = done.caret;
    setClosedAt(place.from);
  }

  function keyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    const key = pressedKey(event);
    const isCompleting = isOpen && !event.metaKey && !event.ctrlKey && !event.altKey;
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    const member = members[chosen];
    if (isCompleting && step !== 0) {
      event.preventDefault();
      setAt((chosen + step + members.length) % members.length);
    } else if (isCompleting && member !== undefined && (key === 'Enter' || key === 'Tab') && !event.shiftKey) {
      event.preventDefault();
      choose(member);
    } else if (isCompleting && key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      setClosedAt(place?.from ?? null);
    } else onKeyDown?.(event);
  }

  return (
    <div className="relative">
      <Textarea
        {...rest}
        ref={field}
        value={value}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={isOpen ? `${id}-list-${chosen}` : undefined}
        onChange={(event) => {
          onText(event.target.value);
          setCaret(event.target.selectionStart);
          setAt(0);
          if (mentionAt(event.target.value, event.target.selectionStart)?.from !== closedAt) setClosedAt(null);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onBlur={() => setCaret(0)}
        onKeyDown={keyDown}
      />
      {isOpen ? (
        <MemberOptions
          id={`${id}-list`}
          label="Members to mention"
          members={members}
          at={chosen}
          me={me}
          onChoose={choose}
          className="absolute inset-x-0 top-full z-20 mt-1"
        />
      ) : null}
      <span role="status" className="sr-only">
        {isOpen
          ? `${members.length} ${members.length === 1 ? 'member' : 'members'} to mention; Enter takes ${members[chosen]?.name ?? 'one'}`
          : ''}
      </span>
    </div>
  );
}

/** Nothing once a name stands there whole. */
function offered(members: readonly Choice[], { typed }: MentionPlace): Choice[] {
  const found = matchMembers(members, typed);
  const isWhole = found.length === 1 && found[0]?.name.toLowerCase() === typed.trim().toLowerCase();
  return isWhole ? [] : found;
}
