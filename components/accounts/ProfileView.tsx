'use client';

import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleCheck, LogOut } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type FormEvent, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Field, Form, Input } from '#components/ui/Field.tsx';
import { Initials } from '#components/ui/icons.tsx';
import { PageHead, Panel } from '#components/ui/Panel.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { accountQueries } from '#lib/client/account-queries.ts';
import { isApiProblem, messageOf } from '#lib/client/api-problem.ts';
import { request } from '#lib/client/request.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import { SHAPES } from '#lib/client/shapes.ts';
import { useSignOut } from '#lib/client/session-end.ts';
import type { Person } from '#lib/contract/account.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { API } from '#lib/contract/paths.ts';
import { NewPassword, PasswordField, passwordRules, textIn, useRetryAfter } from './AccountFields.tsx';

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

function PasswordPanel({ person }: { person: Person }) {
  const { data } = useQuery(accountQueries.members());
  if (data?.members.find((member) => member.id === person.id)?.sign_in !== 'oidc') return <ChangePassword person={person} />;
  return (
    <Panel title="Password">
      <p className="text-muted">You sign in with an identity provider. Change your password there.</p>
    </Panel>
  );
}

function NamePanel({ person }: { person: Person }) {
  const { apply } = useSession();
  const router = useRouter();
  const [name, setName] = useState(person.name);
  const save = useMutation({
    mutationFn: () => request(API.profile, SHAPES.session, { method: 'PATCH', body: { name: name.trim() } }),
    onSuccess: (view) => {
      apply(view);
      router.refresh();
    },
  });
  const isSame = name.trim() === person.name || name.trim() === '';

  return (
    <Panel title="Name">
      <Form className="flex min-w-0 flex-wrap items-start gap-2" onSubmit={() => (isSame || save.isPending ? undefined : save.mutate())}>
        <Field
          label="Your name"
          description="Used from now on. Earlier entries keep the old name."
          error={save.error && messageOf(save.error)}
          className="flex-1 basis-64"
        >
          <Input
            value={name}
            required
            autoComplete="name"
            maxLength={LIMITS.personNameLength}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Button type="submit" pending={save.isPending} aria-disabled={isSame} className="mt-6">
          Save name
        </Button>
      </Form>
    </Panel>
  );
}

function SignOutEverywhere() {
  const signOut = useSignOut();
  const [isConfirming, setIsConfirming] = useState(false);

  return (
    <Panel title="Sessions">
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-64 text-muted">Sessions expire after 12 hours of inactivity, and after 7 days at most.</p>
        <Button icon={<LogOut />} onClick={() => setIsConfirming(true)}>
          Sign out everywhere
        </Button>
      </div>
      <AlertDialog
        open={isConfirming}
        onClose={() => setIsConfirming(false)}
        title="Sign out everywhere?"
        description="Signs you out in every browser, including this one. Your tokens keep working."
        confirm="Sign out everywhere"
        onConfirm={() => signOut('everywhere')}
      />
    </Panel>
  );
}

interface Refusal {
  readonly words: string;
  readonly of: 'current' | 'next' | 'all';
}

function ChangePassword({ person }: { person: Person }) {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isPending, setPending] = useState(false);
  /** Remounts the form, which empties its fields. */
  const [done, setDone] = useState(0);
  const [seconds, noteRetry] = useRetryAfter();
  const form = useRef<HTMLFormElement>(null);

  function refuse(words: string, of: Refusal['of']) {
    setRefusal({ words, of });
    if (of !== 'all') form.current?.querySelector<HTMLInputElement>(`input[name=${of}]`)?.focus();
  }

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending || seconds !== null) return;
    const given = new FormData(event.currentTarget);
    const next = textIn(given, 'next');
    const missing = passwordRules(next, person.name, person.email).find(({ isMet }) => !isMet);
    if (missing !== undefined) return refuse(`Required: ${missing.words.toLowerCase()}.`, 'next');
    setPending(true);
    setRefusal(null);
    try {
      await request(API.changePassword, SHAPES.session, { method: 'POST', body: { current: textIn(given, 'current'), next } });
      setDone(done + 1);
    } catch (error) {
      noteRetry(error);
      const code = isApiProblem(error) ? error.code : null;
      refuse(messageOf(error), code === 'sign_in_failed' ? 'current' : code === 'password_weak' ? 'next' : 'all');
    } finally {
      setPending(false);
    }
  }

  return (
    <Panel title="Password">
      <form ref={form} key={done} method="post" className="flex max-w-sm min-w-0 flex-col gap-4" onSubmit={(event) => void save(event)}>
        {/* For password managers. */}
        <input type="text" name="email" autoComplete="username" value={person.email} readOnly hidden />
        <PasswordField
          label="Current password"
          name="current"
          autoComplete="current-password"
          error={refusal?.of === 'current' ? refusal.words : null}
        />
        <NewPassword
          label="New password"
          name="next"
          personName={person.name}
          email={person.email}
          error={refusal?.of === 'next' ? refusal.words : null}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" pending={isPending} aria-disabled={seconds !== null} className="tabular">
            {seconds === null ? 'Change password' : `Try again in ${seconds} s`}
          </Button>
          <p role="status" className="text-sm">
            {done > 0 && refusal === null && !isPending ? (
              <span className="flex items-center gap-2 text-ok">
                <CircleCheck className="size-3.5" /> Password changed. Your other sessions have ended.
              </span>
            ) : null}
          </p>
        </div>
        {refusal?.of === 'all' ? <ProblemLine>{refusal.words}</ProblemLine> : null}
      </form>
    </Panel>
  );
}
