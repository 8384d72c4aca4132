'use client';

import { Ban, CircleMinus, Clock } from 'lucide-react';
import { Badge } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import type { Token } from '#lib/contract/token.ts';
import { shortfallInWords, toolsInWords } from './token-words.ts';

/** One token: what it may, whose it is, when it was used and when it runs out. Never the token itself. */
export function TokenRow({ token, onRevoke }: { token: Token; onRevoke: (() => void) | null }) {
  const shortfall = shortfallInWords(token);
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="flex min-w-0 flex-1 basis-64 flex-col gap-0.5">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
          <bdi className="min-w-0 truncate font-medium" title={token.name}>
            {token.name}
          </bdi>
          <code className="text-xs text-muted">{token.prefix}</code>
          <Ended state={token.state} />
        </span>
        <span className="min-w-0 text-sm text-muted" title={token.tools?.join(', ')}>
          <span className="font-medium text-fg">{ROLE_WORDS[token.role].name}</span>
          {token.role === 'viewer' ? '' : `, ${toolsInWords(token.tools)}`} · by <bdi>{token.owner.name}</bdi>
        </span>
        {shortfall === null ? null : <span className="text-sm text-degraded">{shortfall}</span>}
      </div>
      <div className="flex min-w-40 flex-col text-sm text-muted max-sm:flex-1">
        <span>
          {token.last_used_at === null ? (
            'Never used'
          ) : (
            <>
              Used <RelativeTime time={token.last_used_at} />
            </>
          )}
        </span>
        <span>
          {token.revoked_at === null ? (
            <>
              {token.state === 'expired' ? 'Ran out ' : 'Runs out '}
              <RelativeTime time={token.expires_at} />
            </>
          ) : (
            <>
              Revoked <RelativeTime time={token.revoked_at} />
            </>
          )}
        </span>
      </div>
      {onRevoke === null ? null : (
        <Button size="sm" icon={<Ban aria-hidden />} onClick={onRevoke}>
          Revoke<span className="sr-only"> {token.name}</span>
        </Button>
      )}
    </li>
  );
}

function Ended({ state }: { state: Token['state'] }) {
  switch (state) {
    case 'active':
      return null;
    case 'revoked':
      return (
        <Badge tone="off" icon={<Ban aria-hidden />}>
          Revoked
        </Badge>
      );
    case 'expired':
      return (
        <Badge tone="off" icon={<Clock aria-hidden />}>
          Ran out
        </Badge>
      );
    case 'owner_inactive':
      return (
        <Badge tone="off" icon={<CircleMinus aria-hidden />}>
          Owner switched off
        </Badge>
      );
  }
}
