'use client';

import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { NameChecklist } from '#components/ui/NameChecklist.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { ReadOnlyNote } from '#components/ui/ReadOnlyNote.tsx';
import { Switch } from '#components/ui/Switch.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import type { ListedTool } from '#lib/client/listed-tools.ts';
import { useConfigureChannel } from '#lib/client/mutations.ts';
import { queries } from '#lib/client/queries.ts';
import { useMayNot } from '#lib/client/SessionProvider.tsx';
import type { Channel } from '#lib/contract/channel.ts';

interface CommandSettingsProps {
  channel: Channel;
  /** Null unless edited. Kept by the page, so that it survives tab changes. */
  draft: readonly string[] | null;
  onDraft: (draft: readonly string[] | null) => void;
}

export function CommandSettings(props: CommandSettingsProps) {
  const mayNot = useMayNot('channels.configure');
  if (mayNot === null) return <ChangeCommands {...props} />;
  const { enabled, tools } = props.channel.commands;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="font-medium">{enabled ? 'Commands enabled' : 'Commands disabled'}</p>
      {enabled ? (
        <p className="foreign text-sm text-muted">
          Allowed:{' '}
          {tools.length === 0 ? 'no tool yet' : tools.map((name) => (name === '*' ? 'all non-destructive tools' : name)).join(', ')}.
        </p>
      ) : null}
      <ReadOnlyNote>{mayNot}</ReadOnlyNote>
    </div>
  );
}

/** The switch applies at once, the list when saved. */
function ChangeCommands({ channel, draft, onDraft }: CommandSettingsProps) {
  const configure = useConfigureChannel(channel.name);
  const [drafts, setDrafts] = useState(0);
  const id = useId();
  const { enabled, tools } = channel.commands;
  const chosen = draft ?? tools;
  const changed = draft !== null && !isSame(draft, tools);
  const switching = configure.isPending && configure.variables.commands.enabled !== undefined;

  function drop() {
    onDraft(null);
    setDrafts(drafts + 1);
    configure.reset();
  }

  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div>
        <Switch
          label="Run commands"
          checked={enabled}
          pending={switching}
          describedBy={id}
          onChange={(next) => configure.mutate({ commands: { enabled: next } })}
        />
        <p id={id} className="text-sm text-muted">
          A message such as <code className="text-xs">/get_weather city=Lisbon</code> calls the tool and replies with the result. Anyone who
          can write here can call the allowed tools; <code className="text-xs">/help</code> lists them.
        </p>
      </div>
      {enabled && tools.length === 0 && draft === null ? (
        <p className="flex gap-2 rounded bg-degraded-soft px-3 py-2 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-degraded" />
          No tools allowed yet. Select tools and save.
        </p>
      ) : null}
      <ToolChoice key={drafts} value={chosen} onChange={onDraft} />
      {changed ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            variant="primary"
            pending={configure.isPending && !switching}
            onClick={() => configure.mutate({ commands: { tools: [...chosen] } }, { onSuccess: () => onDraft(null) })}
          >
            Save tools
          </Button>
          <Button variant="quiet" onClick={drop}>
            Undo
          </Button>
        </div>
      ) : null}
      {configure.isError ? <ProblemLine>Not saved: {messageOf(configure.error)}</ProblemLine> : null}
    </div>
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

const EVERY_TOOL = '*';

interface ToolChoiceProps {
  /** Names, and `*` for all non-destructive tools. */
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
}

/** `*` never includes destructive tools: they must be selected by name. */
function ToolChoice({ value, onChange }: ToolChoiceProps) {
  const { data } = useQuery(queries.tools());
  const [named, setNamed] = useState<readonly string[]>(value.filter((name) => name !== EVERY_TOOL));
  const id = useId();
  const every = value.includes(EVERY_TOOL);
  const tools = data?.tools ?? [];
  const gone = data === undefined ? [] : named.filter((name) => !tools.some((tool) => tool.name === name));
  const rows = [...(every ? tools.filter(isDestructive) : tools).map(rowOf), ...gone.map((name) => ({ name, note: 'unavailable' }))];

  function choose(isEvery: boolean, names: readonly string[]) {
    setNamed(names);
    onChange(isEvery ? [EVERY_TOOL, ...names.filter((name) => !tools.some((tool) => tool.name === name && !isDestructive(tool)))] : names);
  }

  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Allowed tools</legend>
      {(
        [
          [true, 'All non-destructive tools, including new ones'],
          [false, 'Selected tools only'],
        ] as const
      ).map(([isEvery, words]) => (
        <label key={words} className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-10">
          <input
            type="radio"
            name={id}
            checked={every === isEvery}
            onChange={() => choose(isEvery, named)}
            className="size-4 shrink-0 accent-accent"
          />
          {words}
        </label>
      ))}
      {data?.tools.length === 0 ? <p className="text-sm text-muted">No tools yet</p> : null}
      {rows.length === 0 ? null : (
        <div className="flex min-w-0 flex-col gap-2 pl-6">
          {every ? <p className="text-sm text-muted">Destructive tools:</p> : null}
          <NameChecklist
            label="Tools"
            searchLabel="Search tools"
            placeholder="Find a tool"
            nothing="No matching tools"
            rows={rows}
            chosen={named}
            onChange={(names) => choose(every, names)}
          />
        </div>
      )}
    </fieldset>
  );
}

function isDestructive(tool: ListedTool): boolean {
  return tool.annotations.destructiveHint === true;
}

function rowOf(tool: ListedTool): { name: string; note: string | null } {
  return { name: tool.name, note: isDestructive(tool) ? 'may delete' : tool.available ? null : 'unavailable' };
}
