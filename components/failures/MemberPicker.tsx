'use client';

import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Input, Textarea } from '#components/ui/Field.tsx';
import { Initials } from '#components/ui/icons.tsx';
import { cx } from '#components/ui/cx.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { accountQueries } from '#lib/client/account-queries.ts';
import { messageOf } from '#lib/client/api-problem.ts';

export interface Choice {
  readonly id: string;
  readonly name: string;
  readonly initials: string;
  readonly active: boolean;
}

const SHOWN = 8;
const NAME_LENGTH = 60;

/** Active members whose name or a word of it starts with the text; names first. */
export function matchMembers<Member extends Choice>(members: readonly Member[], typed: string): Member[] {
  const wanted = keyOf(typed);
  const found = members.filter(({ active, name }) => active && ` ${keyOf(name)}`.includes(` ${wanted}`));
  const isFirst = ({ name }: Member): boolean => keyOf(name).startsWith(wanted);
  return [...found.filter(isFirst), ...found.filter((member) => !isFirst(member))].slice(0, SHOWN);
}

export interface MentionPlace {
  readonly from: number;
  readonly typed: string;
}

/** Text between an `@` at a word start and the caret; null if there is none. */
export function mentionAt(text: string, caret: number): MentionPlace | null {
  const from = text.lastIndexOf('@', caret - 1);
  if (from === -1 || caret === 0) return null;
  const typed = text.slice(from + 1, caret);
  if (typed.length > NAME_LENGTH || typed.includes('\n') || /^\s/.test(typed)) return null;
  const before = text.slice(0, from);
  return /[\p{L}\p{N}_@./-]$/u.test(before) ? null : { from, typed };
}

export function completeMention(
  text: string,
  { from, typed }: MentionPlace,
  name: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(from + 1 + typed.length);
  const space = /^\s/.test(rest) ? '' : ' ';
  return { text: `${text.slice(0, from)}@${name}${space}${rest}`, caret: from + 1 + name.length + 1 };
}

function keyOf(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ').trimStart();
}

export interface MemberPickerProps {
  hasOne: boolean;
  onChoose: (name: string | null) => void;
  onClose: () => void;
}

export function MemberPicker({ hasOne, onChoose, onClose }: MemberPickerProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const me = useSession().view.person?.id ?? null;
  const { data, error } = useQuery(accountQueries.members());
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const members = matchMembers(data?.members ?? [], typed);
  const chosen = Math.min(at, members.length - 1);
  useEffect(() => field.current?.focus(), []);

  function onKeyDown(event: KeyboardEvent) {
    const key = pressedKey(event);
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && members.length > 0) {
      event.preventDefault();
      setAt((chosen + step + members.length) % members.length);
    } else if (key === 'Enter') {
      event.preventDefault();
      const member = members[chosen];
      if (member !== undefined) onChoose(member.name);
    } else if (key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    }
  }

  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Input
        ref={field}
        role="combobox"
        aria-label="Assign to"
        aria-autocomplete="list"
        aria-expanded={members.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={members.length > 0 ? `${id}-list-${chosen}` : undefined}
        autoComplete="off"
        placeholder="Name of a member"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      {members.length > 0 ? (
        <MemberOptions id={`${id}-list`} label="Members" members={members} at={chosen} me={me} onChoose={({ name }) => onChoose(name)} />
      ) : (
        <p id={`${id}-list`} role="status" className="text-sm text-muted">
          {error === null ? (data === undefined ? 'Loading…' : 'No matching member.') : messageOf(error)}
        </p>
      )}
      <span className="flex flex-wrap gap-2">
        {hasOne ? (
          <Button size="sm" onClick={() => onChoose(null)}>
            Unassign
          </Button>
        ) : null}
        <Button size="sm" variant="quiet" onClick={onClose}>
          Cancel
        </Button>
      </span>
    </div>
  );
}

export interface MentionFieldProps extends Omit<ComponentProps<'textarea'>, 'value' | 'onChange'> {
  value: string;
  onText: (text: string) => void;
}

export function MentionField({ value, onText, onKeyDown, ...rest }: MentionFieldProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const me = useSession().view.person?.id ?? null;
  const { data } = useQuery(accountQueries.members());
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  /** Position of the `@` whose list was closed with Escape. */
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const goTo = useRef<number | null>(null);

  const place = mentionAt(value, caret);
  const members = place === null || place.from === closedAt ? [] : offered(data?.members ?? [], place);
  const chosen = Math.min(at, members.length - 1);
  const isOpen = members.length > 0;

  // The caret can be set only after the text is rendered.
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

function offered(members: readonly Choice[], { typed }: MentionPlace): Choice[] {
  const found = matchMembers(members, typed);
  const isExactMatch = found.length === 1 && found[0]?.name.toLowerCase() === typed.trim().toLowerCase();
  return isExactMatch ? [] : found;
}

export interface MemberOptionsProps {
  id: string;
  label: string;
  members: readonly Choice[];
  at: number;
  me: string | null;
  onChoose: (member: Choice) => void;
  className?: string;
}

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
          // Keeps the focus in the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(member)}
          className={cx(
            'flex w-full min-w-0 items-center gap-2 px-2 py-2 text-left hover:bg-hover pointer-coarse:min-h-10',
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

function bringIntoView(list: HTMLDivElement | null) {
  list?.scrollIntoView({ block: 'nearest' });
}
