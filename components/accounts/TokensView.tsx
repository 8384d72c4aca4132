'use client';

import { useQuery } from '@tanstack/react-query';
import { Ban, CircleMinus, Clock, KeyRound, Plus, ShieldAlert, ShieldCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { Badge } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { FormDialog } from '#components/ui/FormDialog.tsx';
import { Field, Input, Select } from '#components/ui/Field.tsx';
import { PageHead, Panel } from '#components/ui/Panel.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { type Snippet, Snippets } from '#components/ui/Snippets.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { accountQueries, useMakeToken, useRevokeToken } from '#lib/client/account-queries.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import { toolsetsQuery } from '#lib/client/toolset-queries.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { API, MCP_PATH, toolsetPath } from '#lib/contract/paths.ts';
import type { Role } from '#lib/contract/actions.ts';
import type { MadeToken, Token } from '#lib/contract/token.ts';
import { SecretOnce } from './SecretOnce.tsx';
import { RoleFields, ToolFields } from './AccessFields.tsx';

const FEW = 3;

export function toolsInWords(tools: readonly string[] | null): string {
  if (tools === null) return 'any tool';
  if (tools.length <= FEW) return `only ${tools.join(', ')}`;
  return `only ${tools.slice(0, FEW - 1).join(', ')} and ${tools.length - FEW + 1} more`;
}

/** Why a token has fewer permissions than its role; null if it does not. */
export function shortfallInWords({ state, role, effective_role: effective, owner }: Token): string | null {
  switch (state) {
    case 'revoked':
      return 'Revoked. Requests with it are rejected.';
    case 'expired':
      return 'Expired. Create a new token.';
    case 'owner_inactive':
      return `${owner.name} is deactivated. Requests with this token are rejected.`;
    case 'active':
      return effective === null || effective === role
        ? null
        : `${owner.name} is ${ROLE_WORDS[effective].name.toLowerCase()} now, which limits this token.`;
  }
}

/** A token for a toolset works at its MCP address only. */
export function tokenSnippets(origin: string, token: string, toolset: string | null = null): readonly Snippet[] {
  const header = `Authorization: Bearer ${token}`;
  const address = `${origin}${toolset === null ? MCP_PATH : toolsetPath(toolset)}`;
  const all: readonly Snippet[] = [
    {
      id: 'curl',
      name: 'curl',
      where: 'In a terminal: lists the tools it can use.',
      text: `curl -H '${header}' ${origin}${API.tools}`,
      language: 'shellscript',
    },
    {
      id: 'mcp',
      name: 'MCP client',
      where: 'In the settings of most MCP clients.',
      text: JSON.stringify(
        { mcpServers: { switchboard: { type: 'http', url: address, headers: { Authorization: `Bearer ${token}` } } } },
        null,
        2,
      ),
      language: 'json',
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      where: 'In a terminal.',
      text: `claude mcp add --transport http switchboard ${address} --header '${header}'`,
      language: 'shellscript',
    },
  ];
  return toolset === null ? all : all.filter(({ id }) => id !== 'curl');
}

export function TokensView() {
  const mayManage = useMay('tokens.manage');
  const { data, error, refetch, isFetching } = useQuery(accountQueries.tokens(mayManage));
  const revoke = useRevokeToken(mayManage);
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const inUse = data?.tokens.filter((token) => token.state === 'active') ?? [];
  const ended = data?.tokens.filter((token) => token.state !== 'active') ?? [];
  const make = (
    <Button variant="primary" icon={<Plus />} onClick={() => setMaking(true)}>
      Create token
    </Button>
  );
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Tokens"
        note={
          mayManage
            ? 'Access for scripts, agents and OAuth clients. A token never has more permissions than its owner.'
            : 'Clients that signed in as you, and your own tokens. Admins create tokens.'
        }
        actions={mayManage ? make : null}
      />
      {data === undefined ? (
        <QueryState query={{ error, refetch, isFetching }} what="the tokens" lines={5} />
      ) : (
        <>
          <Panel title="In use" note={inUse.length} flush>
            {inUse.length === 0 ? (
              <EmptyState title="No active tokens" icon={<KeyRound />} className="py-8">
                {mayManage
                  ? 'Create one per script or agent, so you can revoke each separately.'
                  : 'A client appears here when you allow it to act as you.'}
              </EmptyState>
            ) : (
              <ul aria-label="Active tokens" className="divide-y">
                {inUse.map((token) => (
                  <TokenRow key={token.id} token={token} showsOwner={mayManage} onRevoke={() => setRevoking(token)} />
                ))}
              </ul>
            )}
          </Panel>
          {ended.length === 0 ? null : (
            <Panel title="Inactive tokens" note={ended.length} flush>
              <ul aria-label="Inactive tokens" className="divide-y">
                {ended.map((token) => (
                  <TokenRow
                    key={token.id}
                    token={token}
                    showsOwner={mayManage}
                    onRevoke={token.state === 'owner_inactive' ? () => setRevoking(token) : null}
                  />
                ))}
              </ul>
            </Panel>
          )}
        </>
      )}
      {isMaking ? <NewTokenDialog onClose={() => setMaking(false)} /> : null}
      <AlertDialog
        open={revoking !== null}
        onClose={() => setRevoking(null)}
        title={`Revoke “${revoking?.name ?? ''}”?`}
        description={
          revoking?.client == null
            ? 'Requests with this token will be rejected immediately. This cannot be undone.'
            : 'Requests of this client will be rejected immediately. It can ask to sign in again.'
        }
        confirm="Revoke"
        danger
        onConfirm={() => (revoking === null ? undefined : revoke.mutateAsync(revoking.id))}
      />
    </div>
  );
}

function TokenRow({ token, showsOwner, onRevoke }: { token: Token; showsOwner: boolean; onRevoke: (() => void) | null }) {
  const shortfall = shortfallInWords(token);
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2">
      <div className="flex min-w-0 flex-1 basis-64 flex-col gap-1">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <bdi className="min-w-0 truncate font-medium" title={token.name}>
            {token.name}
          </bdi>
          {token.client === null ? <code className="text-xs text-muted">{token.prefix}</code> : <ClientBadge client={token.client} />}
          <Ended state={token.state} />
        </span>
        <span className="min-w-0 text-sm text-muted" title={token.tools?.join(', ')}>
          <span className="font-medium text-fg">{ROLE_WORDS[token.role].name}</span>
          {token.role === 'viewer' ? '' : `, ${toolsInWords(token.tools)}`}
          {token.toolset === null ? '' : `, toolset ${token.toolset}`}
          {showsOwner ? (
            <>
              {' '}
              · by <bdi>{token.owner.name}</bdi>
            </>
          ) : null}
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
              {token.state === 'expired' ? 'Expired ' : 'Expires '}
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
        <Button size="sm" icon={<Ban />} onClick={onRevoke}>
          Revoke<span className="sr-only"> {token.name}</span>
        </Button>
      )}
    </li>
  );
}

/** A client that signed in by OAuth, and what proves its name. */
function ClientBadge({ client }: { client: NonNullable<Token['client']> }) {
  return client.host === null ? (
    <Badge tone="degraded" icon={<ShieldAlert />}>
      OAuth, unverified
    </Badge>
  ) : (
    <Badge tone="off" icon={<ShieldCheck />}>
      OAuth, {client.host}
    </Badge>
  );
}

const ENDS: Readonly<Record<Exclude<Token['state'], 'active'>, { readonly word: string; readonly icon: ReactNode }>> = {
  revoked: { word: 'Revoked', icon: <Ban /> },
  expired: { word: 'Expired', icon: <Clock /> },
  owner_inactive: { word: 'Owner deactivated', icon: <CircleMinus /> },
};

function Ended({ state }: { state: Token['state'] }) {
  if (state === 'active') return null;
  return (
    <Badge tone="off" icon={ENDS[state].icon}>
      {ENDS[state].word}
    </Badge>
  );
}

const SPANS = [
  ['7', '7 days'],
  ['30', '30 days'],
  [String(LIMITS.tokenDays), `${LIMITS.tokenDays} days`],
  ['180', '180 days'],
  [String(LIMITS.tokenDaysMost), 'A year'],
] as const;

function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const make = useMakeToken();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('operator');
  const [tools, setTools] = useState<readonly string[] | null>(null);
  const [days, setDays] = useState<number>(LIMITS.tokenDays);
  const [toolset, setToolset] = useState<string | null>(null);
  const { data: toolsets } = useQuery(toolsetsQuery());
  const made = make.data;
  const isMissingTools = role !== 'viewer' && tools !== null && tools.length === 0;

  return (
    <FormDialog
      wide
      title={made === undefined ? 'Create token' : `Token “${made.name}” created`}
      description={made === undefined ? 'For a script or an agent. The audit log records its name and yours.' : 'Store it securely.'}
      submit="Create token"
      pending={make.isPending}
      isIncomplete={name.trim() === '' || isMissingTools}
      error={make.error}
      result={made === undefined ? null : <TokenCreated made={made} />}
      onSubmit={() =>
        make.mutate({
          name: name.trim(),
          role,
          tools: role === 'viewer' || tools === null ? null : [...tools],
          toolset,
          expires_in_days: days,
        })
      }
      onClose={onClose}
    >
      <div className="grid min-w-0 gap-4 sm:grid-cols-[minmax(0,1fr)_10rem]">
        <Field label="Name" description="Its purpose">
          <Input
            value={name}
            required
            autoComplete="off"
            placeholder="nightly import"
            maxLength={LIMITS.personNameLength}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="Expires after">
          <Select options={SPANS} value={String(days)} onChange={(value) => setDays(Number(value))} />
        </Field>
      </div>
      <RoleFields value={role} onChange={setRole} />
      {toolsets === undefined || toolsets.toolsets.length === 0 ? null : (
        <Field label="Toolset" description="With one, the token works at its MCP address only">
          <Select
            options={[['', 'None'], ...toolsets.toolsets.map(({ name: each }) => [each, each] as const)]}
            value={toolset ?? ''}
            onChange={(value) => setToolset(value === '' ? null : value)}
          />
        </Field>
      )}
      {role === 'viewer' ? null : <ToolFields value={tools} onChange={setTools} />}
    </FormDialog>
  );
}

function TokenCreated({ made }: { made: MadeToken }) {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <SecretOnce text={made.token} label="Token" copyLabel="Copy the token" />
      <p className="text-sm text-muted">
        {ROLE_WORDS[made.role].name}
        {made.role === 'viewer' ? '' : `, ${toolsInWords(made.tools)}`}; expires <RelativeTime time={made.expires_at} />.
      </p>
      <Snippets label="Usage" snippets={tokenSnippets(window.location.origin, made.token, made.toolset)} className="min-h-40" />
    </div>
  );
}
