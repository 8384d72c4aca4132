'use client';

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { KeyRound, TriangleAlert } from 'lucide-react';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Checkbox, Field, Form, Select, Textarea, useFieldNames } from '#components/ui/Field.tsx';
import { QueryState } from '#components/ui/QueryState.tsx';
import { Tabs } from '#components/ui/Tabs.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { exportedServersQuery, useImportServers } from '#lib/client/server-list-queries.ts';
import { CLIENT_NAMES, type ImportedServers, SERVER_CLIENTS, type ServerClient, serversIn, targetOf } from '#lib/contract/servers.ts';
import { ServerForm } from './ServerForm.tsx';

export function ServersDialog({ onClose }: { onClose: () => void | Promise<unknown> }) {
  const content = useRef<HTMLDivElement>(null);
  const [isConfirming, setIsConfirming] = useState(false);

  function close() {
    const fields = content.current?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input:not([type=checkbox]), textarea') ?? [];
    if ([...fields].some(({ value }) => value !== '')) setIsConfirming(true);
    else void onClose();
  }

  return (
    <Dialog
      wide
      onClose={close}
      onOpen={(event) => {
        event.preventDefault();
        content.current?.querySelector('input')?.focus();
      }}
      title="Add MCP server"
      description="Saved in mcp.json of the extensions folder, and loaded immediately."
    >
      <div ref={content} className="min-h-[min(33rem,70dvh)]">
        <Tabs
          label="Ways to add"
          contentClassName="pt-4"
          tabs={[
            {
              id: 'form',
              label: 'New server',
              staysMounted: true,
              content: <ServerForm server={null} onDone={onClose} />,
            },
            {
              id: 'import',
              label: 'Import',
              staysMounted: true,
              content: <ImportServers onDone={() => void onClose()} />,
            },
            {
              id: 'export',
              label: 'Export',
              content: <ExportServers />,
            },
          ]}
        />
      </div>
      <AlertDialog
        open={isConfirming}
        onClose={() => setIsConfirming(false)}
        title="Discard your input?"
        description="No server was added."
        confirm="Discard"
        danger
        onConfirm={onClose}
      />
    </Dialog>
  );
}

const CLIENTS = SERVER_CLIENTS.map((client) => [client, CLIENT_NAMES[client]] as const);

function ExportServers() {
  const [client, setClient] = useState<ServerClient>('claude-code');
  const { data, error, refetch, isFetching } = useQuery(exportedServersQuery(client));
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Select aria-label="Client" options={CLIENTS} value={client} onChange={setClient} className="max-w-60" />
      {data === undefined ? (
        <QueryState query={{ error, refetch, isFetching }} what="the servers" lines={5} />
      ) : (
        <>
          <p className="text-sm text-muted">
            For <code>{data.file}</code>, without values of secrets
          </p>
          <CodeBlock
            code={data.text}
            language={data.client === 'goose' || data.client === 'codex' ? null : 'json'}
            label={`Servers for ${CLIENT_NAMES[data.client]}`}
            copyLabel="Copy the configuration"
          />
          {data.warnings.map((warning) => (
            <p key={warning} className="foreign text-sm text-degraded">
              {warning}
            </p>
          ))}
        </>
      )}
    </div>
  );
}

/** Above it, a text is reduced to its servers. A request has at most 1 MiB. */
const SENT_MOST = 262_144;

function sentText(text: string, client: string): string {
  return text.length > SENT_MOST ? serversIn(text, client) : text;
}

type Found = ImportedServers['servers'][number];

/** Pastes or opens the configuration of another client, shows what would be added, and adds it. */
function ImportServers({ onDone }: { onDone: () => void }) {
  const preview = useImportServers();
  const add = useImportServers();
  const [client, setClient] = useState<ServerClient | 'auto'>('auto');
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [unread, setUnread] = useState<string | null>(null);
  const wanted = useRef<File>(null);

  function requestPreview(from: string, as: string) {
    if (from.trim() === '') return;
    preview.mutate(
      { client: as, text: sentText(from, as), preview: true },
      { onSuccess: ({ servers }) => setChosen(new Set(servers.map(({ name }) => name))) },
    );
  }

  function change(next: string) {
    wanted.current = null;
    setUnread(null);
    setText(next);
    preview.reset();
    add.reset();
  }

  async function open(file: File | undefined) {
    if (file === undefined) return;
    wanted.current = file;
    const read = await file.text().catch(() => null);
    // Another file was chosen or text was typed meanwhile.
    if (wanted.current !== file) return;
    if (read === null) return setUnread(file.name);
    const sent = sentText(read, client);
    change(sent);
    requestPreview(sent, client);
  }

  const found = preview.data;
  return (
    <Form
      aria-label="Import servers"
      className="flex min-w-0 flex-col gap-4"
      onSubmit={() => {
        if (found === undefined) requestPreview(text, client);
        else if (chosen.size > 0) {
          const sent = sentText(text, client);
          add.mutate({ client: found.client, text: sent, preview: false, names: [...chosen] }, { onSuccess: onDone });
        }
      }}
    >
      <div className="grid min-w-0 gap-4 sm:grid-cols-2">
        <Field label="Client">
          <Select
            options={[['auto', 'Detect automatically'], ...CLIENTS]}
            value={client}
            onChange={(chosen) => {
              setClient(chosen);
              preview.reset();
            }}
          />
        </Field>
        <Field label="File" error={unread === null ? null : `${unread} cannot be read. Choose a file that this browser may open.`}>
          <ConfigurationFile onChoose={(file) => void open(file)} />
        </Field>
      </div>
      <Field label="Configuration" description="Paste the file, or its part with the servers">
        <Textarea value={text} rows={6} spellCheck={false} className="font-mono text-sm" onChange={(event) => change(event.target.value)} />
      </Field>
      <ProblemLine error={preview.error} />
      {found === undefined ? null : (
        <section aria-label="Servers found" className="flex min-w-0 flex-col gap-2">
          <h3 className="text-sm font-medium">
            {CLIENT_NAMES[found.client]}: {found.servers.length === 0 ? 'no servers' : `${found.servers.length} found`}
          </h3>
          <ul className="divide-y rounded border">
            {found.servers.map((server) => (
              <FoundRow
                key={server.name}
                server={server}
                checked={chosen.has(server.name)}
                onChange={(checked) =>
                  setChosen(new Set(checked ? [...chosen, server.name] : [...chosen].filter((name) => name !== server.name)))
                }
              />
            ))}
            {found.skipped.map(({ name, reason }) => (
              <li key={`skipped ${name}`} className="flex min-w-0 flex-col px-3 py-2 text-sm text-muted">
                <bdi className="truncate font-medium">{name}</bdi>
                <span className="foreign">Skipped. {reason}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <ProblemLine error={add.error} />
      <div className="flex justify-end">
        {found === undefined ? (
          <Button type="submit" variant="primary" pending={preview.isPending} aria-disabled={text.trim() === ''}>
            Preview
          </Button>
        ) : (
          <Button type="submit" variant="primary" pending={add.isPending} aria-disabled={chosen.size === 0}>
            {chosen.size === 1 ? 'Add 1 server' : `Add ${chosen.size} servers`}
          </Button>
        )}
      </div>
    </Form>
  );
}

function ConfigurationFile({ onChoose }: { onChoose: (file: File | undefined) => void }) {
  return (
    <input
      {...useFieldNames()}
      type="file"
      accept=".json,.jsonc,.yaml,.yml,.toml"
      className="min-h-8 text-sm file:mr-3 file:rounded file:border file:bg-panel file:px-2 file:py-1"
      onChange={(event) => onChoose(event.target.files?.[0])}
    />
  );
}

function FoundRow({ server, checked, onChange }: { server: Found; checked: boolean; onChange: (checked: boolean) => void }) {
  const moved = server.secrets.filter((name) => !server.missing_secrets.includes(name));
  return (
    <li className="min-w-0 px-3 py-2">
      <label className="flex min-w-0 items-start gap-2">
        <Checkbox className="mt-1" checked={checked} onChange={(event) => onChange(event.target.checked)} />
        <span className="flex min-w-0 flex-1 flex-col gap-1">
          <span className="font-medium">
            {server.name}
            {server.conflict ? <span className="font-normal text-muted"> · “{server.original_name}” exists already</span> : null}
          </span>
          <code className="text-xs break-all text-muted">{targetOf(server.config)}</code>
          {moved.length === 0 ? null : <Remark icon={<KeyRound />}>Secrets: {moved.join(', ')}</Remark>}
          {server.missing_secrets.length === 0 ? null : <Remark>Set afterwards: {server.missing_secrets.join(', ')}</Remark>}
          {server.warnings.map((warning) => (
            <Remark key={warning}>
              <CodeText text={warning} />
            </Remark>
          ))}
        </span>
      </label>
    </li>
  );
}

function Remark({ icon = <TriangleAlert className="text-degraded" />, children }: { icon?: ReactNode; children: ReactNode }) {
  return (
    <span className="foreign flex min-w-0 items-start gap-2 text-sm text-muted [&>svg]:h-lh [&>svg]:w-3.5 [&>svg]:shrink-0">
      {icon}
      <span className="min-w-0 break-words">{children}</span>
    </span>
  );
}
