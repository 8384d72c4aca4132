'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Field, Input } from '#components/ui/Field.tsx';
import { FormDialog } from '#components/ui/FormDialog.tsx';
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
    <FormDialog
      onClose={onClose}
      title={`Secrets for ${saved.name}`}
      description="Saved calls do not store secrets. Used for this run only; empty fields are not sent."
      submit="Run"
      onSubmit={submit}
    >
      {saved.left_out.map((pointer) => {
        const kind = kindOfSecret(schema, saved.arguments, pointer);
        const isWrong = wrong.includes(pointer);
        return (
          <Field
            key={pointer}
            label={pointerInWords(pointer, saved.arguments)}
            description={kind}
            error={isWrong ? `This is not ${kind ?? 'what the tool takes'}.` : null}
          >
            <Input
              type="password"
              autoComplete="off"
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
    </FormDialog>
  );
}
