'use client';

import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import Link from 'next/link';
import { Note } from '#components/ui/Note.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Snippets } from '#components/ui/Snippets.tsx';
import { queries } from '#lib/client/queries.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { MCP_PATH, PAGES } from '#lib/contract/paths.ts';
import { agentClients } from './agent-clients.ts';
import { useOverlay } from './shell-state.ts';

/** Placeholder: tokens are shown only once, when created. */
const TOKEN = 'swb_…';

export function ConnectAgentDialog() {
  const { open, close } = useOverlay('connect');
  return (
    <Dialog
      open={open}
      onClose={close}
      wide
      title="Connect an agent"
      description="Any MCP client can use the tools at this address. Its calls appear in the history under its name."
    >
      {open ? <HowTo onLeave={close} url={`${window.location.origin}${MCP_PATH}`} /> : null}
    </Dialog>
  );
}

function HowTo({ url, onLeave }: { url: string; onLeave: () => void }) {
  const tools = useQuery(queries.tools());
  const { view } = useSession();
  const isTeam = view.mode === 'team';
  const available = tools.data?.tools.filter((tool) => tool.available).length;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-2">
        <div className="flex items-center gap-3 rounded border bg-subtle py-1 pr-1 pl-3">
          <code className="min-w-0 flex-1 text-base break-all">{url}</code>
          <CopyButton text={url} label="Copy" words />
        </div>
        <p className="text-sm text-muted">
          Streamable HTTP. {available === undefined ? '' : `${available} ${available === 1 ? 'tool is' : 'tools are'} available now; `}
          clients are notified of changes.
        </p>
      </div>
      {isTeam ? <TokenNeeded mayMake={view.may.includes('tokens.manage')} onLeave={onLeave} /> : null}
      <Snippets label="Clients" snippets={agentClients(url, isTeam ? TOKEN : null)} className="min-h-60" />
      <p className="border-t pt-4 text-sm text-muted">
        To try it, ask the agent which tools of switchboard it has.{' '}
        <Link href={`${PAGES.calls}?source=mcp`} onClick={onLeave} className="text-fg underline">
          Calls by agents
        </Link>
      </p>
    </div>
  );
}

function TokenNeeded({ mayMake, onLeave }: { mayMake: boolean; onLeave: () => void }) {
  return (
    <Note tone="running" icon={<KeyRound />}>
      Create one token per agent and replace <code>{TOKEN}</code> below.{' '}
      {mayMake ? (
        <Link href={PAGES.tokens} onClick={onLeave} className="link font-medium">
          Create token
        </Link>
      ) : (
        'Ask an admin for one.'
      )}
    </Note>
  );
}
