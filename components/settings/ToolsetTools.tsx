'use client';

import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useId } from 'react';
import { Field, Input, Select, Textarea } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import type { Tool } from '#lib/contract/tool.ts';
import type { ToolsetTool } from '#lib/contract/toolset.ts';

type Find = (name: string) => Tool | undefined;

/** The chosen tools in their order, each with its changes. */
export function ToolsetTools({
  tools,
  find,
  onChange,
}: {
  tools: readonly ToolsetTool[];
  find: Find;
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
            tool={find(entry.tool)}
            onChange={(next) => onChange(tools.map((one, index) => (index === at ? next : one)))}
          />
          <IconButton label={`Move ${entry.tool} up`} aria-disabled={at === 0} onClick={() => (at === 0 ? undefined : move(at, -1))}>
            <ArrowUp aria-hidden />
          </IconButton>
          <IconButton
            label={`Move ${entry.tool} down`}
            aria-disabled={at === tools.length - 1}
            onClick={() => (at === tools.length - 1 ? undefined : move(at, 1))}
          >
            <ArrowDown aria-hidden />
          </IconButton>
          <IconButton label={`Remove ${entry.tool}`} onClick={() => onChange(tools.filter((_, index) => index !== at))}>
            <X aria-hidden />
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

function ToolEntry({ entry, tool, onChange }: { entry: ToolsetTool; tool: Tool | undefined; onChange: (entry: ToolsetTool) => void }) {
  const id = useId();
  const properties = tool?.parameters['properties'];
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
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
          {tool === undefined ? ' · missing' : changesOf(entry)}
        </span>
      </summary>
      <div className="flex min-w-0 flex-col gap-3 pt-3 pb-2 pl-4">
        <div className="grid min-w-0 gap-3 sm:grid-cols-2">
          <Field id={`${id}-name`} label="Name for agents">
            <Input
              id={`${id}-name`}
              value={entry.name ?? ''}
              placeholder={entry.tool}
              maxLength={64}
              spellCheck={false}
              className="font-mono"
              onChange={(event) => text('name', event.target.value)}
            />
          </Field>
          <Field id={`${id}-title`} label="Title">
            <Input
              id={`${id}-title`}
              value={entry.title ?? ''}
              placeholder={tool?.label ?? ''}
              maxLength={200}
              onChange={(event) => text('title', event.target.value)}
            />
          </Field>
        </div>
        <Field id={`${id}-description`} label="Description">
          <Textarea
            id={`${id}-description`}
            value={entry.description ?? ''}
            placeholder={tool?.description ?? ''}
            rows={2}
            onChange={(event) => text('description', event.target.value)}
          />
        </Field>
        {names.length === 0 ? null : (
          <fieldset className="flex min-w-0 flex-col gap-2">
            <legend className="mb-1 text-sm font-medium">Arguments</legend>
            {names.map((name) => (
              <ArgumentRow key={name} name={name} entry={entry} onChange={onChange} />
            ))}
          </fieldset>
        )}
      </div>
    </details>
  );
}

function ArgumentRow({ name, entry, onChange }: { name: string; entry: ToolsetTool; onChange: (entry: ToolsetTool) => void }) {
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
      <Select aria-label={`Argument ${name}`} value={state} className="max-w-40" onChange={(event) => change(event.target.value)}>
        <option value="shown">Shown</option>
        <option value="hidden">Hidden</option>
        <option value="fixed">Fixed</option>
      </Select>
      {state === 'fixed' ? (
        <Input
          aria-label={`Value of ${name}`}
          defaultValue={textOf(fixed[name])}
          placeholder="text, or JSON"
          spellCheck={false}
          className="min-w-40 flex-1 font-mono"
          onChange={(event) => change('fixed', valueOf(event.target.value))}
        />
      ) : null}
    </div>
  );
}

/** JSON where it is JSON, else the text. */
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
