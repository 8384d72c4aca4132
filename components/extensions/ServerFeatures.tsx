'use client';

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { McpContentView } from '#components/calls/result/McpContentView.tsx';
import { Badge } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { EmptyState, ErrorState, QueryState } from '#components/ui/QueryState.tsx';
import { ReadOnlyNote } from '#components/ui/Note.tsx';
import { sizeInWords } from '#components/ui/numbers.ts';
import { Field, Form, Input } from '#components/ui/Field.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { completionQuery, type CompletionRef, serverFeaturesQuery, useGetPrompt, useReadResource } from '#lib/client/server-queries.ts';
import { useMayNot } from '#lib/client/SessionProvider.tsx';
import type { ResourceTemplate, ServerPrompt, ServerResource } from '#lib/contract/server-features.ts';

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
      {mayNot === null ? null : <ReadOnlyNote className="px-4 py-2">{mayNot}</ReadOnlyNote>}
      <ul aria-label="Resources" className="divide-y">
        {resources.map((resource) => (
          <ResourceRow key={resource.uri} id={id} resource={resource} mayRead={mayNot === null} />
        ))}
      </ul>
      {templates.length === 0 ? null : (
        <>
          <h2 className="border-y bg-subtle px-4 py-1 text-sm font-semibold">Templates</h2>
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
    <li className="flex min-w-0 flex-col gap-2 px-4 py-2">
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
  const submit = (): void => read.mutate({ uri: uriTemplate, variables: givenValues(fields, values) });
  return (
    <li className="flex min-w-0 flex-col gap-2 px-4 py-2">
      <FeatureHead
        title={title ?? name}
        address={uriTemplate}
        description={description}
        badges={mimeType === undefined ? null : <Badge>{mimeType}</Badge>}
      />
      {mayRead ? (
        <Form aria-label={title ?? name} onSubmit={submit} className="flex min-w-0 flex-col items-start gap-3">
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
        </Form>
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

function FeatureHead({ title, address, description, badges, action }: FeatureHeadProps) {
  return (
    <div className="flex min-w-0 items-start gap-3">
      <div className="flex min-w-0 flex-1 flex-col gap-1">
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

/** Prompts of an MCP server under their names for agents: fill in the arguments, see the messages. */
export function ServerPrompts({ id }: { id: string }) {
  const query = useQuery(serverFeaturesQuery(id));
  const mayNot = useMayNot('servers.use');
  const { data } = query;
  if (data === undefined) return <QueryState query={query} what="the prompts" inset />;
  if (data.prompts.length === 0) return <EmptyState title="No prompts">The server’s prompts appear here once it lists some.</EmptyState>;
  return (
    <div className="flex min-w-0 flex-col">
      {mayNot === null ? null : <ReadOnlyNote className="px-4 py-2">{mayNot}</ReadOnlyNote>}
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
  return (
    <li className="flex min-w-0 flex-col gap-2 px-4 py-2">
      <FeatureHead title={title} address={name} description={description} />
      {mayGet ? (
        <Form
          aria-label={title}
          onSubmit={() => get.mutate(givenValues(fields, values))}
          className="flex min-w-0 flex-col items-start gap-3"
        >
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
        </Form>
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

interface Argument {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
}

interface ArgumentFieldsProps {
  id: string;
  fields: readonly Argument[];
  values: Readonly<Record<string, string>>;
  onChange: (values: Readonly<Record<string, string>>) => void;
  completes: CompletionRef | null;
}

/** Arguments of a prompt or variables of a template, as texts, with the server's suggestions. */
function ArgumentFields({ fields, ...rest }: ArgumentFieldsProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {fields.map((field) => (
        <ArgumentField key={field.name} field={field} {...rest} />
      ))}
    </div>
  );
}

function ArgumentField({ id, field, values, onChange, completes }: Omit<ArgumentFieldsProps, 'fields'> & { field: Argument }) {
  const listId = useId();
  const [isFocused, setFocused] = useState(false);
  const { name, title, description, required = false } = field;
  const { data } = useQuery({
    ...completionQuery(id, completes ?? { type: 'ref/prompt', name: '' }, name, values),
    enabled: isFocused && completes !== null,
  });
  const suggestions = data?.completion.values ?? [];
  return (
    <Field label={title ?? name} description={description} required={required}>
      <Input
        value={values[name] ?? ''}
        required={required}
        autoComplete="off"
        list={listId}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onChange={(event) => onChange({ ...values, [name]: event.target.value })}
      />
      <datalist id={listId}>
        {[...new Set(suggestions)].map((value) => (
          <option key={value}>{value}</option>
        ))}
      </datalist>
    </Field>
  );
}

/** Without empty optional ones: absent and empty differ for a server. */
function givenValues(fields: readonly Argument[], values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ name, required }) => {
      const value = values[name] ?? '';
      return value === '' && required !== true ? [] : [[name, value]];
    }),
  );
}

const EXPRESSION = /\{[+#./;?&]?([^{}]+)\}/g;

/** Names of the variables of a URI template (RFC 6570), each once. */
export function variablesOf(template: string): readonly string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, list = '']) =>
    list.split(',').map((variable) => variable.replace(/(?:\*|:\d+)$/, '').trim()),
  );
  return [...new Set(names.filter((name) => name !== ''))];
}
