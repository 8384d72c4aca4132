'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Input } from '#components/ui/Field.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { accountQueries } from '#lib/client/account-queries.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { matchMembers } from './member-matches.ts';
import { MemberOptions } from './MemberOptions.tsx';

export interface MemberPickerProps {
  hasOne: boolean;
  /** With the name of a member; null for nobody. */
  onChoose: (name: string | null) => void;
  onClose: () => void;
}

/** Gives a failure to a member: found by typing, taken by Enter or a press. Escape leaves it as it is. */
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
    <div className="flex min-w-0 flex-col gap-1.5">
      <Input
        ref={field}
        role="combobox"
        aria-label="Give it to"
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
          {error === null ? (data === undefined ? 'Reading the members…' : 'No member is called so.') : messageOf(error)}
        </p>
      )}
      <span className="flex flex-wrap gap-1.5">
        {hasOne ? (
          <Button size="sm" onClick={() => onChoose(null)}>
            Nobody
          </Button>
        ) : null}
        <Button size="sm" variant="quiet" onClick={onClose}>
          Leave it
        </Button>
      </span>
    </div>
  );
}
