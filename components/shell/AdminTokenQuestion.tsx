'use client';

import { useId, useState } from 'react';
import type { FormEvent } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import type { Question } from './AdminTokenDialog.tsx';

/** Asks for the admin token and stores it for this tab. */
export function AdminTokenQuestion({ question }: { question: Question }) {
  const [answered, setAnswered] = useState<Question | null>(null);
  const [asked, setAsked] = useState(question);
  const [token, setToken] = useState('');
  const formId = useId();
  const fieldId = useId();
  // Each question starts with an empty field.
  if (asked !== question) {
    setAsked(question);
    setToken('');
  }

  function finish(given: string | null) {
    if (answered === question) return;
    setAnswered(question);
    question.answer(given);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    if (token.trim() !== '') finish(token.trim());
  }

  return (
    <Dialog
      open={answered !== question}
      onOpenChange={(open) => {
        if (!open) finish(null);
      }}
      title="Admin token"
      description={`${question.missing} The server has it in the variable EXTENSIONS_ADMIN_TOKEN.`}
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
          description="Stored in this tab until you close it."
          error={question.wrong ? 'Wrong token. Enter the admin token of this server.' : null}
        >
          <Input
            id={fieldId}
            type="password"
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.target.value)}
            aria-describedby={`${fieldId}-description${question.wrong ? ` ${fieldId}-error` : ''}`}
            aria-invalid={question.wrong}
          />
        </Field>
      </form>
    </Dialog>
  );
}
