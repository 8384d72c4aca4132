'use client';

import { useQuery } from '@tanstack/react-query';
import { Check, ShieldAlert, ShieldCheck } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { accountQueries, useDecideConsent } from '#lib/client/account-queries.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { ACTIONS } from '#lib/contract/actions.ts';
import type { Role } from '#lib/contract/actions.ts';
import type { ConsentView as Consent } from '#lib/contract/oauth.ts';
import { EntryFrame } from './EntryFrame.tsx';
import { RoleFields, ToolFields } from './AccessFields.tsx';

/** A person decides about an OAuth client. The address of the page is the authorization request. */
export function ConsentView({ search, person }: { search: string; person: string }) {
  const { data, error } = useQuery(accountQueries.consent(search));
  if (error !== null)
    return (
      <EntryFrame title="This client cannot connect">
        <p className="foreign">{messageOf(error)}</p>
        <p className="text-sm text-muted">Close this page and connect again from the client.</p>
      </EntryFrame>
    );
  if (data === undefined)
    return (
      <EntryFrame title="Connect a client">
        <p className="text-muted">Loading…</p>
      </EntryFrame>
    );
  return <Decision consent={data} search={search} person={person} />;
}

function Decision({ consent, search, person }: { consent: Consent; search: string; person: string }) {
  const decide = useDecideConsent();
  const [role, setRole] = useState<Role>(consent.suggested);
  const [tools, setTools] = useState<readonly string[] | null>(null);
  const [decided, setDecided] = useState<'allowed' | 'denied' | null>(null);
  const id = useId();
  const { client, redirect, roles } = consent;
  const scopes = roles.find((one) => one.role === role)?.scopes ?? [];
  const callsTools = scopes.includes('tools.call');
  const isMissingTools = callsTools && tools !== null && tools.length === 0;

  async function send(allow: boolean) {
    const request = Object.fromEntries(new URLSearchParams(search));
    const chosen = callsTools && tools !== null ? [...tools] : null;
    const answer = await decide.mutateAsync({ request, allow, role, tools: allow ? chosen : null });
    setDecided(allow ? 'allowed' : 'denied');
    window.location.assign(answer.redirect_to);
  }
  const begin = (allow: boolean) => void send(allow).catch(() => undefined);

  if (decided !== null)
    return (
      <EntryFrame title={decided === 'allowed' ? `${client.name} is connected` : `${client.name} was denied access`}>
        <p role="status">Continue in {client.name}. You can close this page.</p>
      </EntryFrame>
    );
  return (
    <EntryFrame
      wide
      title={
        <>
          Connect <bdi>{client.name}</bdi>?
        </>
      }
      note={
        <>
          It will act as <bdi className="text-fg">{person}</bdi> on this server, with the role you choose.
        </>
      }
    >
      <Identity client={client} />
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        <dt className="text-muted">Returns to</dt>
        <dd className="break-all">
          <code>{redirect}</code>
          {consent.is_on_this_computer ? ' (an application on your computer)' : null}
        </dd>
        <dt className="text-muted">For</dt>
        <dd className="break-all">
          <code>{consent.resource}</code>
        </dd>
      </dl>
      <form
        id={id}
        className="flex min-w-0 flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          begin(true);
        }}
      >
        <RoleFields value={role} onChange={setRole} roles={roles.map((one) => one.role)} />
        {callsTools ? <ToolFields value={tools} onChange={setTools} /> : null}
        <Scopes scopes={scopes} />
        <ProblemLine error={decide.error} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button disabled={decide.isPending} onClick={() => begin(false)}>
            Deny
          </Button>
          <Button type="submit" variant="primary" disabled={decide.isPending || isMissingTools || scopes.length === 0}>
            {decide.isPending ? 'Connecting…' : 'Allow'}
          </Button>
        </div>
      </form>
      <p className="border-t pt-4 text-sm text-muted">Admins can revoke access at any time under Team → Tokens.</p>
    </EntryFrame>
  );
}

function Identity({ client }: { client: Consent['client'] }) {
  const isProven = client.host !== null;
  const Icon = isProven ? ShieldCheck : ShieldAlert;
  return (
    <div className="flex min-w-0 gap-2 rounded border px-3 py-2">
      <Icon className={isProven ? 'h-lh w-4 shrink-0 text-ok' : 'h-lh w-4 shrink-0 text-degraded'} />
      <p className="min-w-0 text-sm">
        {isProven ? (
          <>
            Published by <span className="font-medium break-all">{client.host}</span>
          </>
        ) : (
          <>
            <span className="font-medium">Unverified client.</span> It registered itself under this name. Continue only if you have just
            started to connect it.
          </>
        )}
      </p>
    </div>
  );
}

function Scopes({ scopes }: { scopes: Consent['roles'][number]['scopes'] }) {
  return (
    <details className="min-w-0">
      <summary className="cursor-pointer text-sm font-medium">
        Permissions <span className="font-normal text-muted">({scopes.length})</span>
      </summary>
      {scopes.length === 0 ? (
        <p className="pt-2 text-sm text-muted">This role has none of the permissions that the client asks for.</p>
      ) : (
        <ul className="grid gap-x-4 gap-y-1 pt-2 text-sm sm:grid-cols-2">
          {scopes.map((scope) => (
            <li key={scope} className="flex gap-2">
              <Check className="h-lh w-3.5 shrink-0 text-muted" />
              {ACTIONS[scope]}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
