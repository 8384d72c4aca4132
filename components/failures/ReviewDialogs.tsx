'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { QueryState } from '#components/ui/QueryState.tsx';
import { Button } from '#components/ui/Button.tsx';
import { NumberedCode } from '#components/ui/FailureCause.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { FormDialog } from '#components/ui/FormDialog.tsx';
import { Field, Form, Input, RadioGroup } from '#components/ui/Field.tsx';
import { MOMENT_WANTED, MomentInput } from '#components/ui/DateInput.tsx';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { momentIn } from '#components/ui/date-text.ts';
import { minuteOf } from '#components/ui/times.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { person } from '#lib/client/person.ts';
import type { FailureSource, GroupChange } from '#lib/contract/failure-group.ts';
import { UNTIL_CHANGED } from '#lib/contract/states.ts';
import { LIMITS } from '#lib/contract/limits.ts';

type Until = 'changed' | 'date' | 'ever';

const CHOICES: readonly { readonly value: Until; readonly words: string; readonly note: string }[] = [
  {
    value: 'changed',
    words: 'Until it changes',
    note: 'Reopens when a changed version fails the same way. A successful load resolves it.',
  },
  { value: 'date', words: 'Until a date', note: 'Reopens at that time. A successful load resolves it earlier.' },
  { value: 'ever', words: 'Permanently', note: 'Stays ignored until someone reopens it.' },
];
const DAY_MS = 86_400_000;

export function IgnoreDialog({
  count,
  onClose,
  onIgnore,
}: {
  count: number;
  onClose: () => void;
  onIgnore: (change: GroupChange) => void;
}) {
  const [until, setUntil] = useState<Until>('changed');
  const { clock, isLocal } = useTimeZone();
  const [date, setDate] = useState(() => minuteOf(new Date(Date.now() + DAY_MS).toISOString(), clock).slice(0, 16));
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);

  function submit() {
    const moment = momentIn(date, isLocal ? 'local' : 'utc')?.date ?? null;
    if (until === 'date' && (moment === null || moment.getTime() <= Date.now())) {
      setProblem(moment === null ? MOMENT_WANTED : 'Choose a time in the future.');
      return;
    }
    onIgnore({
      status: 'ignored',
      ignore_until: until === 'ever' ? null : until === 'changed' ? UNTIL_CHANGED : (moment?.toISOString() ?? null),
      reason: reason.trim() === '' ? null : reason.trim(),
    });
  }

  return (
    <FormDialog
      onClose={onClose}
      title={count === 1 ? 'Ignore this failure' : `Ignore these ${count} failures`}
      description="Leaves the open list and keeps counting."
      submit="Ignore"
      onSubmit={submit}
    >
      <RadioGroup title="Until when" options={CHOICES} value={until} onChange={setUntil} />
      {until === 'date' ? (
        <Field label={`Date and time, ${isLocal ? 'local time' : 'UTC'}`} error={problem}>
          <MomentInput
            name="the end"
            value={date}
            onType={(text) => {
              setDate(text);
              setProblem(null);
            }}
          />
        </Field>
      ) : null}
      <Field label="Reason" description="Optional note">
        <Input value={reason} maxLength={LIMITS.reviewReasonLength} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

export function NameDialog({
  isNeeded,
  onClose,
  onDone,
}: {
  isNeeded: boolean;
  onClose: () => void;
  onDone: (name: string | null) => void;
}) {
  const [name, setName] = useState('');

  function save() {
    const trimmed = name.trim();
    if (trimmed === '') return;
    person.setName(trimmed);
    onDone(trimmed);
  }

  return (
    <Dialog
      onClose={onClose}
      title="Who are you?"
      description="Shown with your actions. Stored in this browser."
      actions={
        <>
          {isNeeded ? null : (
            <Button
              onClick={() => {
                person.noteAsked();
                onDone(null);
              }}
            >
              Continue without a name
            </Button>
          )}
          <Button variant="primary" aria-disabled={name.trim() === ''} onClick={save}>
            Save and continue
          </Button>
        </>
      }
    >
      <Form onSubmit={save}>
        <Field label="Your name">
          <Input value={name} maxLength={64} autoComplete="nickname" onChange={(event) => setName(event.target.value)} />
        </Field>
      </Form>
    </Dialog>
  );
}

export function SourceDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, refetch, isFetching } = useQuery(failureQueries.source(id));
  return (
    <Dialog
      wide
      onClose={onClose}
      title={data === undefined ? 'Source' : data.line === null ? data.file : `${data.file}:${data.line}`}
      description={data === undefined ? 'The file as it was when it failed' : `As revision ${data.revision ?? '–'} had it.`}
    >
      {data === undefined ? (
        <QueryState query={{ error, refetch, isFetching }} what="the source" lines={8} />
      ) : (
        <SourceText source={data} />
      )}
    </Dialog>
  );
}

function SourceText({ source: { text, file, line } }: { source: FailureSource }) {
  const box = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => {
    const written = text.replace(/\n$/, '').split('\n');
    return written.map((code, index) => ({ number: index + 1, code, marked: index + 1 === line }));
  }, [text, line]);
  useEffect(() => {
    box.current?.querySelector('[data-marked]')?.scrollIntoView({ block: 'center' });
  }, []);
  return (
    <div ref={box}>
      <NumberedCode label={`Source of ${file}`} lines={lines} caret={null} file={file} />
    </div>
  );
}
