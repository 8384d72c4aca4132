'use client';

import { useRouter } from 'next/navigation';
import { useId, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Field, Input, Select } from '#components/ui/Field.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { beginHere } from '#lib/client/leaving.ts';
import { useNewExtension } from '#lib/client/source-queries.ts';
import type { NewExtension as Wanted, NewKind } from '#lib/contract/new-extension.ts';
import { PAGES } from '#lib/contract/paths.ts';

const KINDS: Record<NewKind, { readonly word: string; readonly means: string; readonly example: string }> = {
  tool: { word: 'One tool', means: 'A function in one file; its types become the form.', example: 'count_lines' },
  tools: { word: 'Several tools', means: 'A folder of tools with shared code.', example: 'recipes' },
  channel: { word: 'Channel', means: 'An adapter for a messenger: connect, receive, send.', example: 'team_chat' },
  mcp: { word: 'MCP server', means: 'An MCP server that any client can use.', example: 'library' },
};

export function NewExtensionDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const router = useRouter();
  const isWanted = useRef(open);
  const id = useId();
  const make = useNewExtension();
  const [kind, setKind] = useState<NewKind>('tool');
  const [language, setLanguage] = useState<Wanted['language']>('typescript');
  const [name, setName] = useState('');

  function change(next: boolean) {
    isWanted.current = next;
    onOpenChange(next);
    if (!next) make.reset();
  }

  async function submit() {
    isWanted.current = true;
    const isStillHere = beginHere();
    const made = await make.mutateAsync({ kind, name: name.trim(), language });
    onOpenChange(false);
    setName('');
    if (isWanted.current && isStillHere())
      router.push(`${PAGES.extension(made.id)}?tab=source&file=${encodeURIComponent(made.files[0] ?? '')}`);
  }

  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title="New extension"
      description="Creates a working example in the extensions folder and opens it."
      actions={
        <Button type="submit" form={`${id}-form`} variant="primary" pending={make.isPending}>
          Create
        </Button>
      }
    >
      <form
        id={`${id}-form`}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit().catch(() => undefined);
        }}
      >
        <Field id={`${id}-kind`} label="What" description={KINDS[kind].means}>
          <Select
            id={`${id}-kind`}
            aria-describedby={`${id}-kind-description`}
            value={kind}
            onChange={(event) => {
              const chosen = event.target.value;
              if (isKind(chosen)) setKind(chosen);
            }}
          >
            {Object.entries(KINDS).map(([value, { word }]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </Select>
        </Field>
        <Field id={`${id}-language`} label="Language">
          <Select
            id={`${id}-language`}
            value={language}
            onChange={(event) => setLanguage(event.target.value === 'python' ? 'python' : 'typescript')}
          >
            <option value="typescript">{kind === 'mcp' ? 'JavaScript' : 'TypeScript'}</option>
            <option value="python">Python</option>
          </Select>
        </Field>
        <Field
          id={`${id}-name`}
          label="Name"
          description={`A letter, then letters, digits, “_” or “-”. For example: ${KINDS[kind].example}`}
          {...(make.isError ? { error: <CodeText text={messageOf(make.error)} /> } : {})}
        >
          <Input
            id={`${id}-name`}
            value={name}
            required
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            aria-invalid={make.isError}
            aria-describedby={`${id}-name-description ${id}-name-error`}
            onChange={(event) => setName(event.target.value)}
            className="font-mono"
          />
        </Field>
      </form>
    </Dialog>
  );
}

function isKind(value: string): value is NewKind {
  return Object.hasOwn(KINDS, value);
}
