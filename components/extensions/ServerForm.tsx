'use client';

import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, Plug } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ScrollPre } from '#components/ui/ScrollPre.tsx';
import { Button } from '#components/ui/Button.tsx';
import { Checkbox, Field, Form, Input, NameField, Select, Textarea } from '#components/ui/Field.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { Duration } from '#components/ui/RelativeTime.tsx';
import { queries } from '#lib/client/queries.ts';
import { usePutServer, useTestServer } from '#lib/client/server-list-queries.ts';
import { isValidName } from '#lib/contract/names.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { Server, ServerConfig, ServerTest } from '#lib/contract/servers.ts';

const KINDS = [
  ['command', 'Command, started here'],
  ['url', 'URL'],
] as const;

export function ServerForm({ server, onDone }: { server: Server | null; onDone: () => void | Promise<unknown> }) {
  const router = useRouter();
  const put = usePutServer();
  const test = useTestServer();
  const { data: known } = useQuery(queries.extensions());
  const running = useRef<AbortController | null>(null);
  const [name, setName] = useState(server?.name ?? '');
  const [form, setForm] = useState<ServerValues>(server === null ? EMPTY_FORM : formOf(server.config));
  const [takesSecrets, setTakesSecrets] = useState(true);
  useEffect(() => () => running.current?.abort(), []);

  const isCommand = form.kind === 'command';
  const fault = isCommand ? faultIn(form.env, '=') : faultIn(form.headers, ':');
  const isTestable = fault === null && (isCommand ? form.command : form.url).trim() !== '';
  const isBadName = name !== '' && !isValidName(name);
  // During the save, the list already gets the new server.
  const isTaken =
    server === null && !put.isPending && !put.isSuccess && known?.extensions.some(({ id, kind }) => kind === 'mcp' && id === name) === true;
  const isComplete = isTestable && name !== '' && !isBadName && !isTaken;
  const change = (next: Partial<ServerValues>): void => {
    setForm({ ...form, ...next });
    test.reset();
  };

  function testServer() {
    if (!isTestable) return;
    running.current?.abort();
    running.current = new AbortController();
    test.mutate({ config: { ...configOf(form, server?.config), disabled: false }, signal: running.current.signal });
  }

  async function save() {
    if (!isComplete || put.isPending) return;
    await put.mutateAsync({ name, isNew: server === null, config: configOf(form, server?.config), take_secrets: takesSecrets });
    // A change of the address after the push would cancel it.
    await onDone();
    if (server === null) router.push(PAGES.extension(name));
  }

  return (
    <Form aria-label="MCP server" className="flex min-w-0 flex-col gap-4" onSubmit={() => void save().catch(() => undefined)}>
      <div className="grid min-w-0 gap-4 sm:grid-cols-2">
        {server === null ? (
          <NameField
            value={name}
            isBad={isBadName}
            error={isTaken ? `“${name}” exists already. Choose another name, or edit that server.` : null}
            placeholder="github"
            onChange={setName}
          />
        ) : null}
        <Field label="Connection">
          <Select options={KINDS} value={form.kind} onChange={(kind) => change({ kind })} />
        </Field>
      </div>
      {isCommand ? (
        <>
          <Field label="Command">
            <Input
              value={form.command}
              autoComplete="off"
              spellCheck={false}
              placeholder="npx"
              className="font-mono"
              onChange={(event) => change({ command: event.target.value })}
            />
          </Field>
          <Lines label="Arguments" note="One per line" value={form.args} onChange={(args) => change({ args })} />
          <Lines label="Environment" note="NAME=value, one per line" error={fault} value={form.env} onChange={(env) => change({ env })} />
        </>
      ) : (
        <>
          <Field label="URL">
            <Input
              value={form.url}
              type="url"
              autoComplete="off"
              spellCheck={false}
              placeholder="https://example.com/mcp"
              className="font-mono"
              onChange={(event) => change({ url: event.target.value })}
            />
          </Field>
          <Lines
            label="Headers"
            note="Name: value, one per line"
            error={fault}
            value={form.headers}
            onChange={(headers) => change({ headers })}
          />
        </>
      )}
      <div className="flex flex-col gap-2">
        <Choice checked={takesSecrets} onChange={setTakesSecrets}>
          Move API keys and passwords to the secret store
        </Choice>
        {server === null ? null : (
          <Choice checked={form.isEnabled} onChange={(isEnabled) => change({ isEnabled })}>
            Enabled
          </Choice>
        )}
      </div>
      {test.data === undefined ? null : <TestResult result={test.data} />}
      <ProblemLine error={test.error} />
      <ProblemLine error={put.error} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button icon={<Plug />} pending={test.isPending} aria-disabled={!isTestable} onClick={testServer}>
          Test connection
        </Button>
        <Button type="submit" variant="primary" pending={put.isPending} aria-disabled={!isComplete}>
          {server === null ? 'Add server' : 'Save'}
        </Button>
      </div>
    </Form>
  );
}

function Lines({
  label,
  note,
  error = null,
  value,
  onChange,
}: {
  label: string;
  note: string;
  error?: string | null;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label} description={note} error={error}>
      <Textarea
        value={value}
        rows={3}
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-sm"
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

function Choice({ checked, onChange, children }: { checked: boolean; onChange: (checked: boolean) => void; children: ReactNode }) {
  return (
    <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-10">
      <Checkbox checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {children}
    </label>
  );
}

function TestResult({ result }: { result: ServerTest }) {
  const { failure, tools, log } = result;
  return (
    <section aria-label="Test result" className="flex min-w-0 flex-col gap-2 rounded border p-3">
      <p className="flex min-w-0 items-start gap-2 font-medium" role="status">
        {failure === null ? <CircleCheck className="h-lh w-4 shrink-0 text-ok" /> : <CircleX className="h-lh w-4 shrink-0 text-failed" />}
        <span className="foreign min-w-0">
          {failure === null ? (
            <>
              Connected to {result.server} in <Duration ms={result.duration_ms} />
            </>
          ) : (
            <CodeText text={failure.message} />
          )}
        </span>
      </p>
      {failure === null ? (
        <p className="text-sm text-muted">
          {countOf(tools.length, 'tool')}, {countOf(result.resources, 'resource')}, {countOf(result.prompts, 'prompt')}
        </p>
      ) : (
        <p className="foreign text-sm text-muted">
          <CodeText text={failure.hint} />
        </p>
      )}
      {tools.length === 0 ? null : (
        <div role="region" aria-label="Tools of the server" tabIndex={0} className="focus-inset max-h-40 overflow-y-auto text-sm">
          <ul>
            {tools.map((tool) => (
              <li key={tool.name} className="truncate">
                <code>{tool.name}</code> <span className="text-muted">{tool.description}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {log.length === 0 ? null : (
        <details>
          <summary className="text-sm">Log</summary>
          <ScrollPre label="Log of the test" className="foreign max-h-40 overflow-y-auto rounded bg-subtle p-2 text-xs">
            {log.join('\n')}
          </ScrollPre>
        </details>
      )}
    </section>
  );
}

function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Form fields of an MCP server. Lists are texts with one item per line. */
interface ServerValues {
  readonly kind: 'command' | 'url';
  readonly command: string;
  readonly args: string;
  readonly env: string;
  readonly url: string;
  readonly headers: string;
  readonly isEnabled: boolean;
}

export const EMPTY_FORM: ServerValues = { kind: 'command', command: '', args: '', env: '', url: '', headers: '', isEnabled: true };

export function formOf(config: ServerConfig): ServerValues {
  return {
    kind: config['url'] === undefined ? 'command' : 'url',
    command: textOf(config['command']),
    args: (Array.isArray(config['args']) ? config['args'] : []).map(textOf).join('\n'),
    env: pairsOf(config['env'], '='),
    url: textOf(config['url']),
    headers: pairsOf(config['headers'], ': '),
    isEnabled: config['disabled'] !== true,
  };
}

/** @param before the entry in the file, whose other members are kept */
export function configOf(form: ServerValues, before: ServerConfig = {}): ServerConfig {
  const { command: _command, args: _args, env: _env, url: _url, headers: _headers, disabled: _disabled, type, ...others } = before;
  const lines = form.args.split('\n').map((line) => line.trimEnd());
  const args = lines.filter((line) => line !== '');
  const env = membersOf(form.env, '=');
  const headers = membersOf(form.headers, ':');
  const isSame = (before['url'] === undefined) === (form.kind === 'command');
  return {
    ...(form.kind === 'command'
      ? { command: form.command.trim(), ...(args.length === 0 ? {} : { args }), ...(isEmpty(env) ? {} : { env }) }
      : { url: form.url.trim(), ...(isEmpty(headers) ? {} : { headers }) }),
    ...(type === undefined || !isSame ? {} : { type }),
    ...others,
    ...(form.isEnabled ? {} : { disabled: true }),
  };
}

/** The first line that is not a pair; null for none. */
export function faultIn(text: string, sign: '=' | ':'): string | null {
  const line = text.split('\n').find((one) => one.trim() !== '' && one.indexOf(sign) < 1);
  if (line === undefined) return null;
  return `“${line.trim().slice(0, 40)}” is not ${sign === '=' ? 'NAME=value' : 'Name: value'}.`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function pairsOf(value: unknown, sign: string): string {
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([name, text]) => `${name}${sign}${textOf(text)}`)
    .join('\n');
}

function membersOf(text: string, sign: string): Readonly<Record<string, string>> {
  const pairs = text.split('\n').flatMap((line): [string, string][] => {
    const at = line.indexOf(sign);
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
  });
  return Object.fromEntries(pairs);
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
