'use client';

import { useQuery } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useId, useState } from 'react';
import type { FormEvent } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { Initials } from '#components/ui/Initials.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { accountQueries } from '#lib/client/account-queries.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { request } from '#lib/client/request.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { SHAPES } from '#lib/client/shapes.ts';
import { useSignOut } from '#lib/client/use-sign-out.ts';
import type { Person } from '#lib/contract/account.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { API } from '#lib/contract/paths.ts';
import { ChangePassword } from './ChangePassword.tsx';

/** What one can change about oneself. */
export function ProfileView() {
  const { person } = useSession().view;
  if (person === null) return null;
  const { name, may, warning } = ROLE_WORDS[person.role];
  return (
    <div className="flex max-w-3xl min-w-0 flex-col gap-4">
      <div className="flex min-w-0 items-center gap-3">
        <Initials letters={person.initials} size="lg" />
        <div className="min-w-0 flex-1">
          <PageHead title={<bdi>{person.name}</bdi>} note={person.email} />
        </div>
      </div>
      <Panel title="Role">
        <p>
          <span className="font-medium">{name}.</span> {may} {warning} <span className="text-muted">An admin can change it.</span>
        </p>
      </Panel>
      <NamePanel key={person.name} person={person} />
      <PasswordPanel person={person} />
      <SignOutEverywhere />
    </div>
  );
}

/** Who comes in by a provider has the password there. */
function PasswordPanel({ person }: { person: Person }) {
  const { data } = useQuery(accountQueries.members());
  if (data?.members.find((member) => member.id === person.id)?.sign_in !== 'oidc') return <ChangePassword person={person} />;
  return (
    <Panel title="Password">
      <p className="text-muted">You sign in by the provider, which keeps your password. Change it there.</p>
    </Panel>
  );
}

function NamePanel({ person }: { person: Person }) {
  const { take } = useSession();
  const router = useRouter();
  const [name, setName] = useState(person.name);
  const [problem, setProblem] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const id = useId();
  const isSame = name.trim() === person.name || name.trim() === '';

  async function save(event: FormEvent) {
    event.preventDefault();
    if (isSame || isPending) return;
    setPending(true);
    setProblem(null);
    try {
      take(await request(API.profile, SHAPES.session, { method: 'PATCH', body: { name: name.trim() } }));
      router.refresh();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <Panel title="Name">
      <form className="flex min-w-0 flex-wrap items-start gap-2" onSubmit={(event) => void save(event)}>
        <Field
          id={id}
          label="Your name"
          description="What you do from now on is recorded under it. What was done before keeps the old one."
          error={problem}
          className="flex-1 basis-64"
        >
          <Input
            id={id}
            value={name}
            required
            autoComplete="name"
            maxLength={LIMITS.personNameLength}
            onChange={(event) => setName(event.target.value)}
            aria-invalid={problem !== null}
            aria-describedby={problem === null ? `${id}-description` : `${id}-description ${id}-error`}
          />
        </Field>
        <Button type="submit" pending={isPending} aria-disabled={isSame} className="mt-6">
          Save the name
        </Button>
      </form>
    </Panel>
  );
}

function SignOutEverywhere() {
  const signOut = useSignOut();
  const [isAsking, setAsking] = useState(false);

  return (
    <Panel title="Sessions">
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-64 text-muted">
          A session ends after 12 hours without use and after 7 days at most. If you left one open somewhere, end all of them here.
        </p>
        <Button icon={<LogOut aria-hidden />} onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      </div>
      <AlertDialog
        open={isAsking}
        onOpenChange={setAsking}
        title="Sign out everywhere?"
        description="Every browser in which you are signed in, this one too, has to sign in again. Your tokens go on working."
        confirm="Sign out everywhere"
        onConfirm={() => signOut('everywhere')}
      />
    </Panel>
  );
}
