'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { pointerInWords } from '#components/ui/pointer-words.ts';
import { queries } from '#lib/client/queries.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { kindOfSecret, readSecret, withSecrets } from './saved-call-words.ts';

export function SecretsDialog({
  saved,
  onClose,
  onRun,
}: {
  saved: SavedCall;
  onClose: () => void;
  onRun: (args: Readonly<Record<string, unknown>>) => void;
}) {
  const { data: tool } = useQuery(queries.tool(saved.tool));
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [wrong, setWrong] = useState<readonly string[]>([]);
  const schema = tool?.parameters ?? {};

  function submit() {
    const secrets = Object.entries(typed).map(([pointer, text]) => [pointer, readSecret(text, schema, saved.arguments, pointer)] as const);
    const unread = secrets.flatMap(([pointer, value]) => (value === undefined ? [pointer] : []));
    setWrong(unread);
    if (unread.length === 0) onRun(withSecrets(saved.arguments, Object.fromEntries(secrets)));
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`Secrets for ${saved.name}`}
      description="Saved calls do not store secrets. Used for this run only; empty fields are not sent."
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
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {saved.left_out.map((pointer, at) => {
          const kind = kindOfSecret(schema, saved.arguments, pointer);
          const isWrong = wrong.includes(pointer);
          return (
            <Field
              key={pointer}
              id={`secret-${at}`}
              label={pointerInWords(pointer, saved.arguments)}
              description={kind}
              error={isWrong ? `This is not ${kind ?? 'what the tool takes'}.` : null}
            >
              <Input
                id={`secret-${at}`}
                type="password"
                autoComplete="off"
                aria-invalid={isWrong || undefined}
                aria-describedby={`secret-${at}-description secret-${at}-error`}
                value={typed[pointer] ?? ''}
                onChange={({ target: { value } }) =>
                  setTyped((before) => {
                    const { [pointer]: _, ...others } = before;
                    return value === '' ? others : { ...others, [pointer]: value };
                  })
                }
              />
            </Field>
          );
        })}
      </form>
    </Dialog>
  );
}
