'use client';

import { CircleCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { isApiProblem, messageOf } from '#lib/client/api-problem.ts';
import { request } from '#lib/client/request.ts';
import { SHAPES } from '#lib/client/shapes.ts';
import type { Person } from '#lib/contract/account.ts';
import { API } from '#lib/contract/paths.ts';
import { useRetryAfter } from './form-hooks.ts';
import { textIn } from './form-text.ts';
import { NewPassword } from './NewPassword.tsx';
import { PasswordField } from './PasswordField.tsx';
import { passwordRules } from './password-rules.ts';

interface Refusal {
  readonly words: string;
  readonly of: 'current' | 'next' | 'all';
}

/** Another password, for who knows the present one. */
export function ChangePassword({ person }: { person: Person }) {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isPending, setPending] = useState(false);
  /** How often it was done: the fields are empty again then. */
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
    const missing = passwordRules(next, person.name, person.email).find(({ isKept }) => !isKept);
    if (missing !== undefined) return refuse(`It has to be: ${missing.words.toLowerCase()}.`, 'next');
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
        {/* For password managers, which keep the two together. */}
        <input type="text" name="email" autoComplete="username" value={person.email} readOnly hidden />
        <PasswordField
          label="Present password"
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
            {seconds === null ? 'Change the password' : `Try again in ${seconds} s`}
          </Button>
          <p role="status" className="text-sm">
            {done > 0 && refusal === null && !isPending ? (
              <span className="flex items-center gap-1.5 text-ok">
                <CircleCheck aria-hidden className="size-3.5" /> Changed. Your other sessions have ended.
              </span>
            ) : null}
          </p>
        </div>
        {refusal?.of === 'all' ? <ProblemLine>{refusal.words}</ProblemLine> : null}
      </form>
    </Panel>
  );
}
