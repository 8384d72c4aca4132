'use client';

import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { person } from '#lib/client/person.ts';

export interface NameFormProps {
  name: string | null;
  onDone: () => void;
  /** It is the only content of the popover. */
  takesFocus?: boolean;
}

/** Name for calls and changes on a server without accounts. */
export function NameForm({ name, onDone, takesFocus = false }: NameFormProps) {
  const [draft, setDraft] = useState(name ?? '');
  const id = useId();
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);

  return (
    <form
      className="flex flex-col gap-3 p-3"
      onSubmit={(event) => {
        event.preventDefault();
        person.setName(draft);
        onDone();
      }}
    >
      <Field id={id} label="Your name" description="Recorded with your calls and changes. Stored in this browser.">
        <Input
          ref={field}
          id={id}
          value={draft}
          maxLength={64}
          autoComplete="nickname"
          onChange={(event) => setDraft(event.target.value)}
          aria-describedby={`${id}-description`}
        />
      </Field>
      <Button type="submit" variant="primary" size="sm" className="self-end">
        Save
      </Button>
    </form>
  );
}
