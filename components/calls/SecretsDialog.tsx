'use client';

import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { withSecrets } from './saved-call-words.ts';

/** Asks for what was left out of a saved call, for one run; nothing of it is kept. */
export function SecretsDialog({
  saved,
  onClose,
  onRun,
}: {
  saved: SavedCall;
  onClose: () => void;
  onRun: (args: Readonly<Record<string, unknown>>) => void;
}) {
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`Secrets for ${saved.name}`}
      description="Secrets are not kept with a saved call. They are used for this run alone; what is left empty is not sent."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="saved-secrets">
            Run
          </Button>
        </>
      }
    >
      <form
        id="saved-secrets"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onRun(withSecrets(saved.arguments, secrets));
        }}
      >
        {saved.left_out.map((pointer, at) => (
          <Field key={pointer} id={`secret-${at}`} label={<code className="break-all">{pointer}</code>}>
            <Input
              id={`secret-${at}`}
              type="password"
              autoComplete="off"
              value={secrets[pointer] ?? ''}
              onChange={({ target: { value } }) =>
                setSecrets((before) => {
                  const { [pointer]: _, ...others } = before;
                  return value === '' ? others : { ...others, [pointer]: value };
                })
              }
            />
          </Field>
        ))}
      </form>
    </Dialog>
  );
}
