'use client';

import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { McpContentView } from '#components/calls/result/McpContentView.tsx';
import { Badge } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { QueryState } from '#components/ui/QueryState.tsx';
import { ReadOnlyNote } from '#components/ui/ReadOnlyNote.tsx';
import { sizeInWords } from '#components/ui/byte-size.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { serverFeaturesQuery, useReadResource } from '#lib/client/server-queries.ts';
import { useMayNot } from '#lib/client/SessionProvider.tsx';
import type { ResourceTemplate, ServerResource } from '#lib/contract/server-features.ts';
import { ArgumentFields, givenValues } from './ArgumentFields.tsx';
import { variablesOf } from './template-variables.ts';

/** Resources and resource templates of an MCP server, each readable in place. */
export function ServerResources({ id }: { id: string }) {
  const query = useQuery(serverFeaturesQuery(id));
  const mayNot = useMayNot('servers.use');
  const { data } = query;
  if (data === undefined) return <QueryState query={query} what="the resources" inset />;
  const { resources, resource_templates: templates, completions } = data;
  if (resources.length + templates.length === 0)
    return <EmptyState title="No resources">The server’s resources appear here once it lists some.</EmptyState>;
  return (
    <div className="flex min-w-0 flex-col">
      {mayNot === null ? null : <ReadOnlyNote className="px-4 py-2.5">{mayNot}</ReadOnlyNote>}
      <ul aria-label="Resources" className="divide-y">
        {resources.map((resource) => (
          <ResourceRow key={resource.uri} id={id} resource={resource} mayRead={mayNot === null} />
        ))}
      </ul>
      {templates.length === 0 ? null : (
        <>
          <h2 className="border-y bg-subtle px-4 py-1.5 text-sm font-semibold">Templates</h2>
          <ul aria-label="Templates" className="divide-y">
            {templates.map((template) => (
              <TemplateRow key={template.uriTemplate} id={id} template={template} mayRead={mayNot === null} completes={completions} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function ResourceRow({ id, resource, mayRead }: { id: string; resource: ServerResource; mayRead: boolean }) {
  const read = useReadResource(id);
  const { uri, size } = resource;
  return (
    <li className="flex min-w-0 flex-col gap-2 px-4 py-2.5">
      <FeatureHead
        title={resource.title ?? resource.name}
        address={uri}
        description={resource.description}
        badges={
          <>
            {resource.mimeType === undefined ? null : <Badge>{resource.mimeType}</Badge>}
            {size === undefined ? null : <span className="tabular text-xs text-muted">{sizeInWords(size)}</span>}
          </>
        }
        action={
          mayRead ? (
            <Button size="sm" pending={read.isPending} onClick={() => read.mutate({ uri })}>
              {read.data === undefined ? 'Read' : 'Read again'}
            </Button>
          ) : null
        }
      />
      <Contents read={read} label={`Content of ${resource.title ?? resource.name}`} />
    </li>
  );
}

interface TemplateRowProps {
  id: string;
  template: ResourceTemplate;
  mayRead: boolean;
  completes: boolean;
}

function TemplateRow({ id, template, mayRead, completes }: TemplateRowProps) {
  const { uriTemplate, title, name, description, mimeType } = template;
  const fields = variablesOf(uriTemplate).map((variable) => ({ name: variable }));
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const read = useReadResource(id);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    read.mutate({ uri: uriTemplate, variables: givenValues(fields, values) });
  };
  return (
    <li className="flex min-w-0 flex-col gap-2 px-4 py-2.5">
      <FeatureHead
        title={title ?? name}
        address={uriTemplate}
        description={description}
        badges={mimeType === undefined ? null : <Badge>{mimeType}</Badge>}
      />
      {mayRead ? (
        <form aria-label={title ?? name} onSubmit={submit} className="flex min-w-0 flex-col items-start gap-3">
          <ArgumentFields
            id={id}
            fields={fields}
            values={values}
            onChange={setValues}
            completes={completes ? { type: 'ref/resource', uri: uriTemplate } : null}
          />
          <Button type="submit" size="sm" pending={read.isPending}>
            Read
          </Button>
        </form>
      ) : null}
      <Contents read={read} label={`Content of ${title ?? name}`} />
    </li>
  );
}

function Contents({ read, label }: { read: ReturnType<typeof useReadResource>; label: string }) {
  if (read.error !== null) return <ErrorState title="Not read" detail={messageOf(read.error)} />;
  if (read.data === undefined) return null;
  const content = read.data.contents.map((resource) => ({ type: 'resource', resource }));
  if (content.length === 0) return <p className="text-sm text-muted">No content</p>;
  return (
    <div role="group" aria-label={label} className="min-w-0 rounded border p-3">
      <McpContentView result={{ content, structuredContent: undefined, isError: false }} label={label} />
    </div>
  );
}

interface FeatureHeadProps {
  title: string;
  /** The address, or the name for agents. */
  address: string;
  description: string | undefined;
  badges?: ReactNode;
  action?: ReactNode;
}

export function FeatureHead({ title, address, description, badges, action }: FeatureHeadProps) {
  return (
    <div className="flex min-w-0 items-start gap-3">
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="flex min-w-0 flex-wrap items-center gap-2">
          <span className="foreign min-w-0 font-medium break-words">{title}</span>
          {badges}
        </span>
        <span className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 text-sm break-all text-muted">{address}</code>
          <CopyButton text={address} label={`Copy ${address}`} />
        </span>
        {description === undefined || description === '' ? null : (
          <span className="foreign text-sm break-words text-muted">{description}</span>
        )}
      </div>
      {action}
    </div>
  );
}
