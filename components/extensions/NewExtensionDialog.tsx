'use client';

import { useRouter } from 'next/navigation';
import { useRef, useState } from 'react';
import { CodeText } from '#components/ui/CodeText.tsx';
import { FormDialog } from '#components/ui/FormDialog.tsx';
import { Field, Input, Select } from '#components/ui/Field.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { trackLocation } from '#lib/client/pending-navigation.ts';
import { useNewExtension } from '#lib/client/source-queries.ts';
import type { NewExtension as Wanted, NewKind } from '#lib/contract/source-file.ts';
import { PAGES } from '#lib/contract/paths.ts';

const KINDS: Record<NewKind, { readonly word: string; readonly means: string; readonly example: string }> = {
  tool: { word: 'One tool', means: 'A function in one file; its types become the form.', example: 'count_lines' },
  tools: { word: 'Several tools', means: 'A folder of tools with shared code.', example: 'recipes' },
  channel: { word: 'Channel', means: 'An adapter for a messenger: connect, receive, send.', example: 'team_chat' },
  mcp: { word: 'MCP server', means: 'An MCP server that any client can use.', example: 'library' },
};

const KIND_ORDER = ['tool', 'tools', 'channel', 'mcp'] as const;

export function NewExtensionDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const router = useRouter();
  const isWanted = useRef(open);
  const make = useNewExtension();
  const [kind, setKind] = useState<NewKind>('tool');
  const [language, setLanguage] = useState<Wanted['language']>('typescript');
  const [name, setName] = useState('');

  function close() {
    isWanted.current = false;
    onClose();
    make.reset();
  }

  async function submit() {
    isWanted.current = true;
    const isStillHere = trackLocation();
    const made = await make.mutateAsync({ kind, name: name.trim(), language });
    onClose();
    setName('');
    if (isWanted.current && isStillHere())
      router.push(`${PAGES.extension(made.id)}?tab=source&file=${encodeURIComponent(made.files[0] ?? '')}`);
  }

  return (
    <FormDialog
      open={open}
      onClose={close}
      title="New extension"
      description="Creates a working example in the extensions folder and opens it."
      submit="Create"
      pending={make.isPending}
      onSubmit={() => void submit().catch(() => undefined)}
    >
      <Field label="Kind" description={KINDS[kind].means}>
        <Select options={KIND_ORDER.map((each) => [each, KINDS[each].word] as const)} value={kind} onChange={setKind} />
      </Field>
      <Field label="Language">
        <Select
          options={[
            ['typescript', kind === 'mcp' ? 'JavaScript' : 'TypeScript'],
            ['python', 'Python'],
          ]}
          value={language}
          onChange={setLanguage}
        />
      </Field>
      <Field
        label="Name"
        description={`A letter, then letters, digits, “_” or “-”. For example: ${KINDS[kind].example}`}
        error={make.isError ? <CodeText text={messageOf(make.error)} /> : null}
      >
        <Input
          value={name}
          required
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setName(event.target.value)}
          className="font-mono"
        />
      </Field>
    </FormDialog>
  );
}
