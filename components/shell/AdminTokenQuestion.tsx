'use client';

import { useState } from 'react';
import { Field, Input } from '#components/ui/Field.tsx';
import { FormDialog } from '#components/ui/FormDialog.tsx';
import type { Question } from './AdminTokenDialog.tsx';

export function AdminTokenQuestion({ question }: { question: Question }) {
  const [answered, setAnswered] = useState<Question | null>(null);
  const [shown, setShown] = useState(question);
  const [token, setToken] = useState('');
  // Each question starts with an empty field.
  if (shown !== question) {
    setShown(question);
    setToken('');
  }

  function finish(given: string | null) {
    if (answered === question) return;
    setAnswered(question);
    question.answer(given);
  }

  return (
    <FormDialog
      open={answered !== question}
      onClose={() => finish(null)}
      title="Admin token"
      description={`${question.missing} The server has it in the variable EXTENSIONS_ADMIN_TOKEN.`}
      submit="Continue"
      isIncomplete={token.trim() === ''}
      onSubmit={() => finish(token.trim())}
    >
      <Field
        label="Token"
        description="Stored in this tab until you close it."
        error={question.wrong ? 'Wrong token. Enter the admin token of this server.' : null}
      >
        <Input type="password" autoComplete="off" value={token} onChange={(event) => setToken(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
