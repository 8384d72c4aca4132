'use client';

import { useQuery } from '@tanstack/react-query';
import { KeyRound, LogOut } from 'lucide-react';
import { useState } from 'react';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Button } from '#components/ui/Button.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { serverSignInQuery, useBeginSignIn, useEndSignIn } from '#lib/client/server-queries.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { ServerSignIn as SignIn } from '#lib/contract/servers.ts';

/** Sign-in to an MCP server that requires it; nothing for others. */
export function ServerSignIn({ id }: { id: string }) {
  const { data } = useQuery(serverSignInQuery(id));
  const begin = useBeginSignIn(id);
  const end = useEndSignIn(id);
  const [isEnding, setEnding] = useState(false);
  const mayUse = useMay('servers.use');
  const mayEdit = useMay('extensions.edit');
  if (data === undefined || data.state === 'none') return null;
  const isConnected = data.state === 'connected';
  const mayChange = data.auth === 'member' ? mayUse : mayUse && mayEdit;

  async function connect() {
    const { authorization_url: address } = await begin.mutateAsync();
    window.location.assign(address);
  }

  return (
    <section aria-label="Sign-in" className="flex min-w-0 flex-col gap-2 rounded border bg-panel p-4">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2">
        <KeyRound className="size-4 shrink-0 text-muted" />
        <p className="min-w-0 flex-1 basis-64">{isConnected ? <Connected signIn={data} /> : needed(data)}</p>
        {mayChange ? (
          <div className="flex flex-wrap gap-2">
            {isConnected ? (
              <Button size="sm" icon={<LogOut />} onClick={() => setEnding(true)}>
                Disconnect
              </Button>
            ) : null}
            {isConnected && data.missing_scope === null ? null : (
              <Button
                size="sm"
                variant="primary"
                icon={<KeyRound />}
                disabled={begin.isPending}
                onClick={() => void connect().catch(() => undefined)}
              >
                {begin.isPending ? 'Connecting…' : 'Connect'}
              </Button>
            )}
          </div>
        ) : null}
      </div>
      {data.missing_scope === null ? null : (
        <p className="text-sm text-degraded">
          The server asks for more permissions: <code className="break-all">{data.missing_scope}</code>. Connect again to allow them.
        </p>
      )}
      <ProblemLine error={begin.error} />
      {begin.error !== null || data.problem === null ? null : <ProblemLine>{data.problem}</ProblemLine>}
      {mayChange ? null : (
        <p className="text-sm text-muted">
          {data.auth === 'member' ? 'Connecting needs the role operator.' : 'Connecting needs the role author.'}
        </p>
      )}
      <AlertDialog
        open={isEnding}
        onClose={() => setEnding(false)}
        title="Disconnect from the server?"
        description={
          data.auth === 'member'
            ? 'Your tokens are revoked at the server and deleted here. Your calls fail until you connect again.'
            : 'The tokens are revoked at the server and deleted here. Calls of all callers fail until somebody connects again.'
        }
        confirm="Disconnect"
        danger
        onConfirm={() => end.mutateAsync()}
      />
    </section>
  );
}

function Connected({ signIn: { auth, by, since } }: { signIn: SignIn }) {
  return (
    <>
      {auth === 'member' ? 'You are connected to this server' : 'Connected to this server'}
      {by === null || auth === 'member' ? null : (
        <>
          {' '}
          by <bdi className="font-medium">{by}</bdi>
        </>
      )}
      {since === null ? null : (
        <span className="text-muted">
          {' '}
          · <RelativeTime time={since} />
        </span>
      )}
    </>
  );
}

function needed({ auth }: SignIn): string {
  return auth === 'member' ? 'Each member signs in at this server. You are not connected.' : 'This server asks for a sign-in.';
}
