'use client';

import { useEffect, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Field, Form, Input } from '#components/ui/Field.tsx';
import { person } from '#lib/client/person.ts';

export interface NameFormProps {
  name: string | null;
  onDone: () => void;
  /** It is the only content of the popover. */
  takesFocus?: boolean;
}

export function NameForm({ name, onDone, takesFocus = false }: NameFormProps) {
  const [draft, setDraft] = useState(name ?? '');
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);

  return (
    <Form
      className="flex flex-col gap-3 p-3"
      onSubmit={() => {
        person.setName(draft);
        onDone();
      }}
    >
      <Field label="Your name" description="Recorded with your calls and changes. Stored in this browser.">
        <Input ref={field} value={draft} maxLength={64} autoComplete="nickname" onChange={(event) => setDraft(event.target.value)} />
      </Field>
      <Button type="submit" variant="primary" size="sm" className="self-end">
        Save
      </Button>
    </Form>
  );
}
