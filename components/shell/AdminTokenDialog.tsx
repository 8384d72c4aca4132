'use client';

import { useEffect, useId, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { person } from '#lib/client/person.ts';

interface Question {
  readonly wrong: boolean;
  readonly answer: (token: string | null) => void;
}

const ANYTHING = 'Changing what runs needs the admin token of this server.';

/** Asks for the admin token when the server wants one, and keeps it until the tab is closed. */
export function AdminTokenDialog() {
  const [question, setQuestion] = useState<Question | null>(null);
  /** What it is needed for, in a sentence; stays while the dialog goes away. */
  const [missing, setMissing] = useState('');
  const [token, setToken] = useState('');
  const formId = useId();
  const fieldId = useId();
  const answered = useRef(true);

  useEffect(
    () =>
      person.onTokenWanted(
        (wrong, neededFor = ANYTHING) =>
          new Promise((resolve) => {
            answered.current = false;
            setToken('');
            setMissing(neededFor);
            setQuestion({ wrong, answer: resolve });
          }),
      ),
    [],
  );

  function finish(given: string | null) {
    if (!answered.current) question?.answer(given);
    answered.current = true;
    setQuestion(null);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    if (token.trim() !== '') finish(token.trim());
  }

  return (
    <Dialog
      open={question !== null}
      onOpenChange={(open) => {
        if (!open) finish(null);
      }}
      title="Admin token"
      description={`${missing} It stands in the variable EXTENSIONS_ADMIN_TOKEN of the server.`}
      actions={
        <>
          <Button onClick={() => finish(null)}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" aria-disabled={token.trim() === ''}>
            Continue
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit}>
        <Field
          id={fieldId}
          label="Token"
          description="Kept in this tab until you close it."
          error={question?.wrong === true ? 'The token you gave is not the one of this server.' : null}
        >
          <Input
            id={fieldId}
            type="password"
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.target.value)}
            aria-describedby={`${fieldId}-description${question?.wrong === true ? ` ${fieldId}-error` : ''}`}
            aria-invalid={question?.wrong === true}
          />
        </Field>
      </form>
    </Dialog>
  );
}
