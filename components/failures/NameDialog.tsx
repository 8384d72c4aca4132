'use client';

import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { person } from '#lib/client/person.ts';

export interface NameDialogProps {
  open: boolean;
  /** Nothing can be done without it: something is to be given to this person. */
  isNeeded: boolean;
  onClose: () => void;
  onDone: (name: string | null) => void;
}

/** Asks once for the name under which acts are recorded; it is kept in the browser. */
export function NameDialog({ open, isNeeded, onClose, onDone }: NameDialogProps) {
  const [name, setName] = useState('');

  function save() {
    const trimmed = name.trim();
    if (trimmed === '') return;
    person.setName(trimmed);
    onDone(trimmed);
  }

  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title="Who are you?"
      description="What you do here is recorded under this name. It is kept in this browser."
      actions={
        <>
          {isNeeded ? null : (
            <Button
              onClick={() => {
                person.noteAsked();
                onDone(null);
              }}
            >
              Go on without a name
            </Button>
          )}
          <Button variant="primary" aria-disabled={name.trim() === ''} onClick={save}>
            Save and go on
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Field id="review-name" label="Your name">
          <Input id="review-name" value={name} maxLength={64} autoComplete="nickname" onChange={(event) => setName(event.target.value)} />
        </Field>
      </form>
    </Dialog>
  );
}
