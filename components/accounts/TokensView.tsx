'use client';

import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { accountQueries, useRevokeToken } from '#lib/client/account-queries.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import type { Token } from '#lib/contract/token.ts';
import { NewTokenDialog } from './NewTokenDialog.tsx';
import { TokenRow } from './TokenRow.tsx';

/** What scripts and agents come in with. */
export function TokensView() {
  const { data, error, refetch, isFetching } = useQuery(accountQueries.tokens());
  const revoke = useRevokeToken();
  const [isMaking, setMaking] = useState(false);
  const [asked, setAsked] = useState<Token | null>(null);
  const inUse = data?.tokens.filter((token) => token.state === 'active') ?? [];
  const ended = data?.tokens.filter((token) => token.state !== 'active') ?? [];
  const make = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setMaking(true)}>
      Make a token
    </Button>
  );
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Tokens"
        note="What scripts and agents come in with. Each may what its role says, and never more than its owner."
        actions={make}
      />
      {data === undefined ? (
        error === null ? (
          <Skeleton lines={5} label="Reading the tokens…" />
        ) : (
          <ErrorState title="The tokens could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
        )
      ) : (
        <>
          <Panel title="In use" note={inUse.length} flush>
            {inUse.length === 0 ? (
              <EmptyState title="There is no token in use" icon={<KeyRound aria-hidden />} className="py-8">
                Make one for each script and each agent, so that one can be revoked without the others.
              </EmptyState>
            ) : (
              <ul aria-label="Tokens in use" className="divide-y">
                {inUse.map((token) => (
                  <TokenRow key={token.id} token={token} onRevoke={() => setAsked(token)} />
                ))}
              </ul>
            )}
          </Panel>
          {ended.length === 0 ? null : (
            <Panel title="Ended" note={ended.length} flush>
              <ul aria-label="Tokens that have ended" className="divide-y">
                {ended.map((token) => (
                  <TokenRow key={token.id} token={token} onRevoke={token.state === 'owner_inactive' ? () => setAsked(token) : null} />
                ))}
              </ul>
            </Panel>
          )}
        </>
      )}
      {isMaking ? <NewTokenDialog onClose={() => setMaking(false)} /> : null}
      <AlertDialog
        open={asked !== null}
        onOpenChange={() => setAsked(null)}
        title={`Revoke “${asked?.name ?? ''}”?`}
        description="Whatever uses it is refused from its next request on, and what it follows live ends. This cannot be undone; a new token can be made."
        confirm="Revoke"
        danger
        onConfirm={() => (asked === null ? undefined : revoke.mutateAsync(asked.id))}
      />
    </div>
  );
}
