'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowLeft, ArrowUp, Trash2, Undo2, X } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import * as z from 'zod';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { Field, Form, Input, NameField, RadioGroup, Select, Textarea } from '#components/ui/Field.tsx';
import { NameChecklist } from '#components/ui/NameChecklist.tsx';
import { PageHead, Panel } from '#components/ui/Panel.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { textDrafts, useAskBeforeUnload, useTextDraft } from '#components/ui/text-drafts.ts';
import { IconButton } from '#components/ui/IconButton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { toolsWithParametersQuery, usePutToolset, useRemoveToolset } from '#lib/client/toolset-queries.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { isValidName } from '#lib/contract/names.ts';
import { toolsetPath } from '#lib/contract/paths.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { estimateTokens, faultOfToolset, listedTools, scopeTools, type Toolset, type ToolsetTool } from '#lib/contract/toolset.ts';
import { accountQueries } from '#lib/client/account-queries.ts';

/** Without the limits and rules of a saved toolset, which a draft may break. */
const draftSchema = z.object({
  name: z.string(),
  title: z.string(),
  instructions: z.string(),
  tools: z.array(
    z.object({
      tool: z.string(),
      name: z.string().optional(),
      title: z.string().optional(),
      description: z.string().optional(),
      hidden_arguments: z.array(z.string()).optional(),
      fixed_arguments: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  members: z.array(z.string()).nullable(),
});
type ToolsetValues = z.infer<typeof draftSchema>;

interface ToolsetEditorProps {
  toolset: Toolset | null;
  taken: readonly string[];
  /** Moves the focus into the editor, which replaces the focused list. */
  takesFocus: boolean;
  /** Prefix of the drafts; the name of the toolset follows. */
  prefix: string;
  onClose: () => void;
}

/** Creates or edits a toolset, with a preview of what agents see. Unsaved changes are a draft that survives a reload. */
export function ToolsetEditor({ toolset, taken, takesFocus, prefix, onClose }: ToolsetEditorProps) {
  const { data } = useQuery(toolsWithParametersQuery());
  const put = usePutToolset();
  const remove = useRemoveToolset();
  const form = useRef<HTMLFormElement>(null);
  const key = prefix + (toolset?.name ?? '');
  const [stored, store] = useTextDraft(key);
  useAskBeforeUnload(prefix);
  const saved: ToolsetValues = {
    name: toolset?.name ?? '',
    title: toolset?.title ?? '',
    instructions: toolset?.instructions ?? '',
    tools: toolset?.tools ?? [],
    members: toolset?.members ?? null,
  };
  const draft = useMemo(() => draftSchema.safeParse(valueOf(stored)).data ?? null, [stored]);
  const values = draft ?? saved;
  const { name, title, instructions, tools, members } = values;
  /** Key that remounts fields with their own typed text. */
  const [discards, setDiscards] = useState(0);
  const isTeam = useSession().view.mode === 'team';
  const [isConfirming, setIsConfirming] = useState(false);

  const all = data?.tools ?? [];
  const byName = new Map<string, Tool>(all.map((tool) => [tool.name, tool]));
  const find = (wanted: string): Tool | undefined => byName.get(wanted);
  const isBadName = name !== '' && !isValidName(name);
  // During the save, the list already gets the new toolset.
  const isTaken = toolset === null && !put.isPending && !put.isSuccess && taken.includes(name);
  // A removed tool stays in the draft but blocks saving: agents would not get it.
  const fault = data === undefined ? null : faultOfToolset({ tools: [...tools] }, find);
  const isComplete = name !== '' && !isBadName && !isTaken && fault === null && members?.length !== 0;
  const preview = listedTools(scopeTools(tools, find));

  const isNew = toolset === null;
  useEffect(() => {
    if (takesFocus) (isNew ? form.current?.querySelector('input') : form.current)?.focus({ preventScroll: true });
  }, [takesFocus, isNew]);

  function change(next: Partial<ToolsetValues>) {
    const text = JSON.stringify({ ...values, ...next });
    store(text === JSON.stringify(saved) ? '' : text);
  }

  function discard() {
    put.reset();
    store('');
    setDiscards(discards + 1);
    form.current?.focus({ preventScroll: true });
  }

  function setTools(next: readonly ToolsetTool[]) {
    change({ tools: [...next] });
  }

  function choose(chosen: readonly string[]) {
    const remaining = tools.filter(({ tool }) => chosen.includes(tool));
    const added = chosen.filter((one) => !tools.some(({ tool }) => tool === one)).map((tool) => ({ tool }));
    setTools([...remaining, ...added]);
  }

  function save() {
    if (!isComplete || put.isPending) return;
    put.mutate(
      { ...values, isNew },
      {
        onSuccess: () => {
          textDrafts.settle(key, stored);
          onClose();
        },
      },
    );
  }

  return (
    <Form ref={form} tabIndex={-1} aria-label="Toolset" className="flex min-w-0 flex-col gap-4 outline-none" onSubmit={save}>
      <PageHead
        title={toolset === null ? 'New toolset' : toolset.name}
        note={name === '' || isBadName ? 'Agents connect to its own address' : `Agents connect to ${toolsetPath(name)}`}
        actions={
          <>
            <Button icon={<ArrowLeft />} onClick={onClose}>
              Back
            </Button>
            {draft === null ? null : (
              <Button icon={<Undo2 />} onClick={discard}>
                Discard changes
              </Button>
            )}
            {toolset === null ? null : (
              <Button icon={<Trash2 />} onClick={() => setIsConfirming(true)}>
                Delete
              </Button>
            )}
            <Button type="submit" variant="primary" pending={put.isPending} aria-disabled={!isComplete}>
              Save
            </Button>
          </>
        }
      />
      <ProblemLine error={put.error} />
      {fault === null ? null : (
        <ProblemLine>
          <CodeText text={fault.message} />
        </ProblemLine>
      )}
      <div className="grid min-w-0 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,28rem)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title="About">
            <div className="flex min-w-0 flex-col gap-4">
              <div className="grid min-w-0 gap-4 sm:grid-cols-2">
                {toolset === null ? (
                  <NameField
                    value={name}
                    isBad={isBadName}
                    error={isTaken ? `“${name}” exists already. Choose another name, or edit that toolset.` : null}
                    placeholder="support"
                    onChange={(next) => change({ name: next })}
                  />
                ) : null}
                <Field label="Title">
                  <Input value={title} maxLength={200} onChange={(event) => change({ title: event.target.value })} />
                </Field>
              </div>
              <Field label="Instructions" description="For the agent, instead of those of the extensions">
                <Textarea value={instructions} rows={3} onChange={(event) => change({ instructions: event.target.value })} />
              </Field>
            </div>
          </Panel>
          <Panel title="Tools" note={tools.length}>
            <div className="flex min-w-0 flex-col gap-3">
              <NameChecklist
                label="Tools of this server"
                placeholder="Find a tool"
                nothing={data === undefined ? 'Loading…' : all.length === 0 ? 'No tools yet' : 'No matching tools'}
                rows={all.map((tool) => ({ name: tool.name, note: tool.available ? null : 'unavailable' }))}
                chosen={tools.map(({ tool }) => tool)}
                onChange={choose}
              />
              <ToolsetTools key={discards} tools={tools} find={data === undefined ? null : find} onChange={setTools} />
            </div>
          </Panel>
          {isTeam ? <ToolsetAccess members={members} onChange={(next) => change({ members: next === null ? null : [...next] })} /> : null}
        </div>
        {preview.length === 0 ? (
          <Panel title="Preview">
            <p className="text-sm text-muted">
              {data === undefined && tools.length > 0 ? 'Loading…' : 'Select tools to see the list that agents get.'}
            </p>
          </Panel>
        ) : (
          <Panel title="Preview" note={`about ${estimateTokens(preview, instructions).toLocaleString('en')} tokens`}>
            <CodeBlock code={JSON.stringify(preview, null, 2)} language="json" label="Tools as agents see them" copyLabel="Copy the list" />
          </Panel>
        )}
      </div>
      <AlertDialog
        open={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={`Delete ${toolset?.name ?? ''}?`}
        description="Its address and the tokens limited to it stop working. The tools stay."
        confirm="Delete"
        danger
        onConfirm={async () => {
          await remove.mutateAsync(toolset?.name ?? '');
          store('');
          onClose();
        }}
      />
    </Form>
  );
}

type Find = (name: string) => Tool | undefined;

/** The chosen tools in their order, each with its changes. */
function ToolsetTools({
  tools,
  find,
  onChange,
}: {
  tools: readonly ToolsetTool[];
  /** Null while the tools of this server load. */
  find: Find | null;
  onChange: (tools: readonly ToolsetTool[]) => void;
}) {
  if (tools.length === 0) return <p className="text-sm text-muted">Select the tools of this toolset.</p>;

  function move(at: number, by: 1 | -1) {
    const next = [...tools];
    const [moved] = next.splice(at, 1);
    if (moved !== undefined) next.splice(at + by, 0, moved);
    onChange(next);
  }

  const keys = keysOf(tools);
  return (
    <ol aria-label="Tools in this toolset" className="flex min-w-0 flex-col divide-y rounded border">
      {tools.map((entry, at) => (
        <li key={keys[at]} className="flex min-w-0 items-start gap-1 px-2 py-1">
          <ToolEntry
            entry={entry}
            tool={find?.(entry.tool)}
            isMissing={find !== null && find(entry.tool) === undefined}
            onChange={(next) => onChange(tools.map((one, index) => (index === at ? next : one)))}
          />
          <IconButton label={`Move ${entry.tool} up`} aria-disabled={at === 0} onClick={() => (at === 0 ? undefined : move(at, -1))}>
            <ArrowUp />
          </IconButton>
          <IconButton
            label={`Move ${entry.tool} down`}
            aria-disabled={at === tools.length - 1}
            onClick={() => (at === tools.length - 1 ? undefined : move(at, 1))}
          >
            <ArrowDown />
          </IconButton>
          <IconButton label={`Remove ${entry.tool}`} onClick={() => onChange(tools.filter((_, index) => index !== at))}>
            <X />
          </IconButton>
        </li>
      ))}
    </ol>
  );
}

/** A tool may be in a toolset more than once, under different names. */
function keysOf(tools: readonly ToolsetTool[]): readonly string[] {
  const seen = new Map<string, number>();
  return tools.map(({ tool }) => {
    const count = seen.get(tool) ?? 0;
    seen.set(tool, count + 1);
    return count === 0 ? tool : `${tool} ${count}`;
  });
}

interface ToolEntryProps {
  entry: ToolsetTool;
  tool: Tool | undefined;
  isMissing: boolean;
  onChange: (entry: ToolsetTool) => void;
}

function ToolEntry({ entry, tool, isMissing, onChange }: ToolEntryProps) {
  const properties = tool?.parameters['properties'];
  const schemas: Readonly<Record<string, unknown>> = typeof properties === 'object' && properties !== null ? { ...properties } : {};
  const text = (field: 'name' | 'title' | 'description', value: string): void => {
    const { [field]: _before, ...rest } = entry;
    onChange(value === '' ? rest : { ...rest, [field]: value });
  };
  return (
    <details className="min-w-0 flex-1 py-1">
      <summary className="min-w-0 cursor-default truncate">
        <code className="font-medium">{entry.name ?? entry.tool}</code>
        <span className="text-sm text-muted">
          {entry.name === undefined ? '' : ` · ${entry.tool}`}
          {isMissing ? ' · missing' : changesOf(entry)}
        </span>
      </summary>
      <div className="flex min-w-0 flex-col gap-3 pt-3 pb-2 pl-4">
        <div className="grid min-w-0 gap-3 sm:grid-cols-2">
          <Field label="Name for agents">
            <Input
              value={entry.name ?? ''}
              placeholder={entry.tool}
              maxLength={64}
              spellCheck={false}
              className="font-mono"
              onChange={(event) => text('name', event.target.value)}
            />
          </Field>
          <Field label="Title">
            <Input
              value={entry.title ?? ''}
              placeholder={tool?.label ?? ''}
              maxLength={200}
              onChange={(event) => text('title', event.target.value)}
            />
          </Field>
        </div>
        <Field label="Description">
          <Textarea
            value={entry.description ?? ''}
            placeholder={tool?.description ?? ''}
            rows={2}
            onChange={(event) => text('description', event.target.value)}
          />
        </Field>
        {Object.keys(schemas).length === 0 ? null : (
          <fieldset className="flex min-w-0 flex-col gap-2">
            <legend className="mb-1 text-sm font-medium">Arguments</legend>
            {Object.entries(schemas).map(([name, schema]) => (
              <ArgumentRow key={name} name={name} isText={isText(schema)} entry={entry} onChange={onChange} />
            ))}
          </fieldset>
        )}
      </div>
    </details>
  );
}

interface ArgumentRowProps {
  name: string;
  /** Only text is valid, so the input is not parsed as JSON. */
  isText: boolean;
  entry: ToolsetTool;
  onChange: (entry: ToolsetTool) => void;
}

const ARGUMENT_STATES = [
  ['shown', 'Shown'],
  ['hidden', 'Hidden'],
  ['fixed', 'Fixed'],
] as const;

function ArgumentRow({ name, isText, entry, onChange }: ArgumentRowProps) {
  const { hidden_arguments: hidden = [], fixed_arguments: fixed = {}, ...rest } = entry;
  const state = Object.hasOwn(fixed, name) ? 'fixed' : hidden.includes(name) ? 'hidden' : 'shown';

  function change(next: string, value: unknown = '') {
    const others = hidden.filter((one) => one !== name);
    const { [name]: _before, ...values } = fixed;
    const nowHidden = next === 'hidden' ? [...others, name] : others;
    const nowFixed = next === 'fixed' ? { ...values, [name]: value } : values;
    onChange({
      ...rest,
      ...(nowHidden.length === 0 ? {} : { hidden_arguments: nowHidden }),
      ...(Object.keys(nowFixed).length === 0 ? {} : { fixed_arguments: nowFixed }),
    });
  }

  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      <code className="min-w-0 basis-40 truncate text-sm" title={name}>
        {name}
      </code>
      <Select
        aria-label={`Argument ${name}`}
        options={ARGUMENT_STATES}
        value={state}
        className="max-w-40"
        onChange={(next) => change(next)}
      />
      {state === 'fixed' ? (
        <Input
          aria-label={`Value of ${name}`}
          defaultValue={textOf(fixed[name])}
          placeholder={isText ? 'text' : 'text, or JSON'}
          spellCheck={false}
          className="min-w-40 flex-1 font-mono"
          onChange={(event) => change('fixed', isText ? event.target.value : valueOf(event.target.value))}
        />
      ) : null}
    </div>
  );
}

function isText(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'string';
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function changesOf({ hidden_arguments: hidden = [], fixed_arguments: fixed = {} }: ToolsetTool): string {
  const parts = [
    ...(hidden.length === 0 ? [] : [`${hidden.length} hidden`]),
    ...(Object.keys(fixed).length === 0 ? [] : [`${Object.keys(fixed).length} fixed`]),
  ];
  return parts.length === 0 ? '' : ` · ${parts.join(', ')}`;
}

interface ToolsetAccessProps {
  /** Ids; null: everyone. */
  members: readonly string[] | null;
  onChange: (members: readonly string[] | null) => void;
}

const ACCESS_CHOICES = [
  { value: 'all', words: 'Everyone who may call its tools' },
  { value: 'selected', words: 'Selected members, with their tokens and clients' },
] as const;

function ToolsetAccess({ members, onChange }: ToolsetAccessProps) {
  const { data, error } = useQuery(accountQueries.members());
  const [chosen, setChosen] = useState(members ?? []);
  const all = data?.members ?? [];
  return (
    <Panel title="Access">
      <RadioGroup
        title="Access"
        isTitleHidden
        options={ACCESS_CHOICES}
        value={members === null ? 'all' : 'selected'}
        onChange={(choice) => onChange(choice === 'all' ? null : chosen)}
      >
        {members === null ? null : (
          <div className="flex min-w-0 flex-col gap-2 pl-6">
            {error === null ? null : <p className="foreign text-sm text-failed">Could not load the members. {messageOf(error)}</p>}
            <NameChecklist
              label="Members"
              placeholder="Find a member"
              nothing={data === undefined ? 'Loading…' : 'No matching members'}
              rows={all.map(({ name, active }) => ({ name, note: active ? null : 'deactivated' }))}
              chosen={all.filter((member) => members.includes(member.id)).map(({ name }) => name)}
              onChange={(names) => {
                const ids = all.filter(({ name }) => names.includes(name)).map((member) => member.id);
                setChosen(ids);
                onChange(ids);
              }}
            />
            {members.length === 0 ? <p className="text-sm text-muted">Select at least one member.</p> : null}
          </div>
        )}
      </RadioGroup>
    </Panel>
  );
}
