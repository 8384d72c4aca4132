'use client';

import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { momentIn } from '#components/ui/date-text.ts';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { MOMENT_WANTED, MomentInput } from '#components/ui/MomentInput.tsx';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { minuteOf } from '#components/ui/times.ts';
import type { GroupChange } from '#lib/contract/failure-group.ts';
import { UNTIL_CHANGED } from '#lib/contract/group-states.ts';
import { LIMITS } from '#lib/contract/limits.ts';

type Until = 'changed' | 'date' | 'ever';

const CHOICES: readonly { readonly value: Until; readonly words: string; readonly note: string }[] = [
  {
    value: 'changed',
    words: 'Until it changes',
    note: 'Open again when other content of the extension fails so. A clean load resolves it.',
  },
  { value: 'date', words: 'Until a date', note: 'Open again at that time. A clean load resolves it before.' },
  { value: 'ever', words: 'For good', note: 'Stays ignored, whatever happens, until somebody opens it again.' },
];
const DAY_MS = 86_400_000;

/** Until when, and why. */
export function IgnoreDialog({
  open,
  count,
  onClose,
  onIgnore,
}: {
  open: boolean;
  count: number;
  onClose: () => void;
  onIgnore: (change: GroupChange) => void;
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title={count === 1 ? 'Ignore this failure' : `Ignore these ${count} failures`}
      description="It leaves the list of what is to be done, and keeps counting."
    >
      <IgnoreForm onClose={onClose} onIgnore={onIgnore} />
    </Dialog>
  );
}

function IgnoreForm({ onClose, onIgnore }: { onClose: () => void; onIgnore: (change: GroupChange) => void }) {
  const [until, setUntil] = useState<Until>('changed');
  const { clock, isLocal } = useTimeZone();
  const [date, setDate] = useState(() => minuteOf(new Date(Date.now() + DAY_MS).toISOString(), clock).slice(0, 16));
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);

  function submit() {
    const moment = momentIn(date, isLocal ? 'local' : 'utc')?.date ?? null;
    if (until === 'date' && (moment === null || moment.getTime() <= Date.now())) {
      setProblem(moment === null ? MOMENT_WANTED : 'Choose a time that is still to come.');
      return;
    }
    onIgnore({
      status: 'ignored',
      ignore_until: until === 'ever' ? null : until === 'changed' ? UNTIL_CHANGED : (moment?.toISOString() ?? null),
      reason: reason.trim() === '' ? null : reason.trim(),
    });
  }

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">Until when</legend>
        {CHOICES.map((choice) => (
          <label key={choice.value} className="flex items-start gap-2.5">
            <input
              type="radio"
              name="ignore-until"
              value={choice.value}
              checked={until === choice.value}
              onChange={() => setUntil(choice.value)}
              className="mt-1 accent-accent"
            />
            <span className="flex flex-col">
              {choice.words}
              <span className="text-sm text-muted">{choice.note}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {until === 'date' ? (
        <Field id="ignore-date" label={`Date and time, ${isLocal ? 'local time' : 'UTC'}`} error={problem}>
          <MomentInput
            id="ignore-date"
            name="the end"
            value={date}
            aria-invalid={problem !== null || undefined}
            aria-describedby={problem === null ? undefined : 'ignore-date-error'}
            onType={(text) => {
              setDate(text);
              setProblem(null);
            }}
          />
        </Field>
      ) : null}
      <Field id="ignore-reason" label="Reason" description="For those who wonder later.">
        <Input
          id="ignore-reason"
          value={reason}
          maxLength={LIMITS.reviewReasonLength}
          aria-describedby="ignore-reason-description"
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary">
          Ignore
        </Button>
      </div>
    </form>
  );
}
