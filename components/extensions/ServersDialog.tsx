'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Select } from '#components/ui/Field.tsx';
import { QueryState } from '#components/ui/QueryState.tsx';
import { Tabs } from '#components/ui/Tabs.tsx';
import { exportedServersQuery } from '#lib/client/server-list-queries.ts';
import { CLIENT_NAMES, SERVER_CLIENTS } from '#lib/contract/servers.ts';
import type { ServerClient } from '#lib/contract/servers.ts';
import { ImportServers } from './ImportServers.tsx';
import { ServerForm } from './ServerForm.tsx';

/** Add one server, import those of another client, or export all. */
export function ServersDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => (open ? undefined : onClose())}
      title="Add MCP server"
      description="Saved in mcp.json of the extensions folder, and loaded immediately."
    >
      <Tabs
        label="Ways to add"
        tabs={[
          { id: 'form', label: 'New server', content: <div className="pt-4">{<ServerForm server={null} onDone={onClose} />}</div> },
          { id: 'import', label: 'Import', content: <div className="pt-4">{<ImportServers onDone={onClose} />}</div> },
          { id: 'export', label: 'Export', content: <div className="pt-4">{<ExportServers />}</div> },
        ]}
      />
    </Dialog>
  );
}

function ExportServers() {
  const [client, setClient] = useState<ServerClient>('claude-code');
  const { data, error, refetch, isFetching } = useQuery(exportedServersQuery(client));
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Select
        aria-label="Client"
        value={client}
        className="max-w-60"
        onChange={(event) => {
          const chosen = SERVER_CLIENTS.find((each) => each === event.target.value);
          if (chosen !== undefined) setClient(chosen);
        }}
      >
        {SERVER_CLIENTS.map((each) => (
          <option key={each} value={each}>
            {CLIENT_NAMES[each]}
          </option>
        ))}
      </Select>
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
