'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { Field, Input, Textarea } from '#components/ui/Field.tsx';
import { NameChecklist } from '#components/ui/NameChecklist.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { NameField } from '#components/ui/NameField.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { toolsWithParametersQuery, usePutToolset, useRemoveToolset } from '#lib/client/toolset-queries.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { isValidName } from '#lib/contract/extension-names.ts';
import { toolsetPath } from '#lib/contract/paths.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { estimateTokens, faultOfToolset, listedTools, scopeTools } from '#lib/contract/toolset.ts';
import type { Toolset, ToolsetTool } from '#lib/contract/toolset.ts';
import { ToolsetAccess } from './ToolsetAccess.tsx';
import { ToolsetTools } from './ToolsetTools.tsx';

/** Makes a toolset or changes one, with a preview of what agents see. */
export function ToolsetEditor({ toolset, onClose }: { toolset: Toolset | null; onClose: () => void }) {
  const { data } = useQuery(toolsWithParametersQuery());
  const put = usePutToolset();
  const remove = useRemoveToolset();
  const id = useId();
  const [name, setName] = useState(toolset?.name ?? '');
  const [title, setTitle] = useState(toolset?.title ?? '');
  const [instructions, setInstructions] = useState(toolset?.instructions ?? '');
  const [tools, setTools] = useState<readonly ToolsetTool[]>(toolset?.tools ?? []);
  const [members, setMembers] = useState<readonly string[] | null>(toolset?.members ?? null);
  const isTeam = useSession().view.mode === 'team';
  const [isAsking, setAsking] = useState(false);

  const all = data?.tools ?? [];
  const byName = new Map<string, Tool>(all.map((tool) => [tool.name, tool]));
  const find = (wanted: string): Tool | undefined => byName.get(wanted);
  const isBadName = name !== '' && !isValidName(name);
  // A tool that is gone stays in the toolset, and cannot be saved: agents would not get it.
  const fault = data === undefined ? null : faultOfToolset({ tools: [...tools] }, find);
  const isComplete = name !== '' && !isBadName && fault === null && members?.length !== 0;
  const preview = listedTools(scopeTools(tools, find));

  function choose(chosen: readonly string[]) {
    const kept = tools.filter(({ tool }) => chosen.includes(tool));
    const added = chosen.filter((one) => !tools.some(({ tool }) => tool === one)).map((tool) => ({ tool }));
    setTools([...kept, ...added]);
  }

  function save() {
    if (isComplete && !put.isPending)
      put.mutate({ name, title, instructions, tools: [...tools], members: members === null ? null : [...members] }, { onSuccess: onClose });
  }

  return (
    <form
      aria-label="Toolset"
      className="flex min-w-0 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <PageHead
        title={toolset === null ? 'New toolset' : toolset.name}
        note={name === '' || isBadName ? 'Agents connect to its own address' : `Agents connect to ${toolsetPath(name)}`}
        actions={
          <>
            <Button icon={<ArrowLeft aria-hidden />} onClick={onClose}>
              Back
            </Button>
            {toolset === null ? null : (
              <Button icon={<Trash2 aria-hidden />} onClick={() => setAsking(true)}>
                Delete
              </Button>
            )}
            <Button type="submit" variant="primary" pending={put.isPending} aria-disabled={!isComplete}>
              Save
            </Button>
          </>
        }
      />
      {put.error === null ? null : (
        <ProblemLine>
          <CodeText text={messageOf(put.error)} />
        </ProblemLine>
      )}
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
                  <NameField id={`${id}-name`} value={name} isBad={isBadName} placeholder="support" onChange={setName} />
                ) : null}
                <Field id={`${id}-title`} label="Title">
                  <Input id={`${id}-title`} value={title} maxLength={200} onChange={(event) => setTitle(event.target.value)} />
                </Field>
              </div>
              <Field id={`${id}-instructions`} label="Instructions" description="For the agent, in place of those of the extensions">
                <Textarea
                  id={`${id}-instructions`}
                  value={instructions}
                  rows={3}
                  aria-describedby={`${id}-instructions-description`}
                  onChange={(event) => setInstructions(event.target.value)}
                />
              </Field>
            </div>
          </Panel>
          <Panel title="Tools" note={tools.length}>
            <div className="flex min-w-0 flex-col gap-3">
              <NameChecklist
                label="Tools of this server"
                searchLabel="Find a tool"
                placeholder="Find a tool"
                nothing={data === undefined ? 'Loading…' : all.length === 0 ? 'No tools yet' : 'No matching tools'}
                rows={all.map((tool) => ({ name: tool.name, note: tool.available ? null : 'unavailable' }))}
                chosen={tools.map(({ tool }) => tool)}
                onChange={choose}
              />
              <ToolsetTools tools={tools} find={find} onChange={setTools} />
            </div>
          </Panel>
          {isTeam ? <ToolsetAccess members={members} onChange={setMembers} /> : null}
        </div>
        {preview.length === 0 ? (
          <Panel title="Preview">
            <p className="text-sm text-muted">Select tools to see the list that agents get.</p>
          </Panel>
        ) : (
          <Panel title="Preview" note={`about ${estimateTokens(preview, instructions).toLocaleString('en')} tokens`}>
            <CodeBlock code={JSON.stringify(preview, null, 2)} language="json" label="Tools as agents see them" copyLabel="Copy the list" />
          </Panel>
        )}
      </div>
      <AlertDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={`Delete ${toolset?.name ?? ''}?`}
        description="Its address and the tokens limited to it stop working. The tools stay."
        confirm="Delete"
        danger
        onConfirm={async () => {
          await remove.mutateAsync(toolset?.name ?? '');
          onClose();
        }}
      />
    </form>
  );
}
