'use client';

import { Initials } from '#components/ui/Initials.tsx';
import { usePresence } from '#lib/client/use-presence.ts';
import { presenceInWords } from './presence-words.ts';

const SHOWN = 5;

/** Who else of the team has this failure open; nothing when nobody has. */
export function PresenceLine({ id, isWriting }: { id: string; isWriting: boolean }) {
  const people = usePresence(id, isWriting ? 'writing' : 'looking');
  return (
    <div role="status" aria-label="Who else is here" className="empty:hidden">
      {people.length === 0 ? null : (
        <p className="flex min-w-0 items-center gap-2 text-sm">
          <span className="flex shrink-0 gap-1">
            {people.slice(0, SHOWN).map((person) => (
              <Initials key={person.id} size="sm" letters={person.initials} />
            ))}
          </span>
          <span className="min-w-0 break-words">{presenceInWords(people)}</span>
        </p>
      )}
    </div>
  );
}
