'use client';

import { TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { ReadOnlyNote } from '#components/ui/ReadOnlyNote.tsx';
import { Switch } from '#components/ui/Switch.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { useConfigureChannel } from '#lib/client/mutations.ts';
import { useMayNot } from '#lib/client/use-may-not.ts';
import type { Channel } from '#lib/contract/channel.ts';
import { ToolChoice } from './ToolChoice.tsx';

export interface CommandSettingsProps {
  channel: Channel;
  /** The list as it is being edited, null when it is not; kept by the page, so that looking elsewhere does not lose it. */
  draft: readonly string[] | null;
  onDraft: (draft: readonly string[] | null) => void;
}

/** Whether `/tool …` in this channel becomes a call, and of which tools. */
export function CommandSettings(props: CommandSettingsProps) {
  const mayNot = useMayNot('channels.configure');
  if (mayNot === null) return <ChangeCommands {...props} />;
  const { enabled, tools } = props.channel.commands;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="font-medium">{enabled ? 'Commands are run' : 'Commands are not run'}</p>
      {enabled ? (
        <p className="foreign text-sm text-muted">
          Allowed:{' '}
          {tools.length === 0 ? 'no tool yet' : tools.map((name) => (name === '*' ? 'every tool that deletes nothing' : name)).join(', ')}.
        </p>
      ) : null}
      <ReadOnlyNote>{mayNot}</ReadOnlyNote>
    </div>
  );
}

/** The switch is in force at once, the list when it is saved. */
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
          A message such as <code className="text-xs">/get_weather city=Lisbon</code> becomes a call, and its result is the answer. Whoever
          can write here can then use the allowed tools; <code className="text-xs">/help</code> lists them.
        </p>
      </div>
      {enabled && tools.length === 0 && draft === null ? (
        <p className="flex gap-2 rounded bg-degraded-soft px-3 py-2 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-degraded" />
          No tool is allowed yet, so no command is run. Choose some and save.
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
            Save the list
          </Button>
          <Button variant="quiet" onClick={drop}>
            Undo
          </Button>
        </div>
      ) : null}
      {configure.isError ? <ProblemLine>Not changed: {messageOf(configure.error)}</ProblemLine> : null}
    </div>
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}
