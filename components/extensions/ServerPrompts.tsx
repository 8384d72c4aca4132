'use client';

import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { McpContentView } from '#components/calls/result/McpContentView.tsx';
import { Badge } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { QueryState } from '#components/ui/QueryState.tsx';
import { ReadOnlyNote } from '#components/ui/ReadOnlyNote.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { serverFeaturesQuery, useGetPrompt } from '#lib/client/server-queries.ts';
import { useMayNot } from '#lib/client/SessionProvider.tsx';
import type { ServerPrompt } from '#lib/contract/server-features.ts';
import { ArgumentFields, givenValues } from './ArgumentFields.tsx';
import { FeatureHead } from './ServerResources.tsx';

/** Prompts of an MCP server under their names for agents: fill in the arguments, see the messages. */
export function ServerPrompts({ id }: { id: string }) {
  const query = useQuery(serverFeaturesQuery(id));
  const mayNot = useMayNot('servers.use');
  const { data } = query;
  if (data === undefined) return <QueryState query={query} what="the prompts" inset />;
  if (data.prompts.length === 0) return <EmptyState title="No prompts">The server’s prompts appear here once it lists some.</EmptyState>;
  return (
    <div className="flex min-w-0 flex-col">
      {mayNot === null ? null : <ReadOnlyNote className="px-4 py-2.5">{mayNot}</ReadOnlyNote>}
      <ul aria-label="Prompts" className="divide-y">
        {data.prompts.map((prompt) => (
          <PromptRow key={prompt.name} id={id} prompt={prompt} mayGet={mayNot === null} completes={data.completions} />
        ))}
      </ul>
    </div>
  );
}

function PromptRow({ id, prompt, mayGet, completes }: { id: string; prompt: ServerPrompt; mayGet: boolean; completes: boolean }) {
  const { name, title = name, description, arguments: fields = [] } = prompt;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const get = useGetPrompt(id, name);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    get.mutate(givenValues(fields, values));
  };
  return (
    <li className="flex min-w-0 flex-col gap-2 px-4 py-2.5">
      <FeatureHead title={title} address={name} description={description} />
      {mayGet ? (
        <form aria-label={title} onSubmit={submit} className="flex min-w-0 flex-col items-start gap-3">
          {fields.length === 0 ? null : (
            <ArgumentFields
              id={id}
              fields={fields}
              values={values}
              onChange={setValues}
              completes={completes ? { type: 'ref/prompt', name } : null}
            />
          )}
          <Button type="submit" size="sm" pending={get.isPending}>
            Get messages
          </Button>
        </form>
      ) : null}
      {get.error === null ? null : <ErrorState title="No messages" detail={messageOf(get.error)} />}
      {get.data === undefined || get.error !== null ? null : (
        <ol aria-label={`Messages of ${title}`} className="flex min-w-0 flex-col gap-3 rounded border p-3">
          {[...get.data.messages.entries()].map(([at, { role, content }]) => (
            <li key={at} className="flex min-w-0 flex-col items-start gap-1">
              <Badge>{role}</Badge>
              <div className="w-full min-w-0">
                <McpContentView
                  result={{ content: [content], structuredContent: undefined, isError: false }}
                  label={`Message ${at + 1}, ${role}`}
                />
              </div>
            </li>
          ))}
        </ol>
      )}
    </li>
  );
}
