'use client';

import { Check, Circle, CircleX, Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, type ReactNode, type Ref, useId, useState } from 'react';
import { useBrowserValue } from '#components/ui/browser-value.ts';
import { Field, Input } from '#components/ui/Field.tsx';
import { useClockText } from '#components/ui/RelativeTime.tsx';
import { cx } from '#components/ui/cx.ts';
import { isApiProblem } from '#lib/client/api-problem.ts';
import { LIMITS } from '#lib/contract/limits.ts';

export function textIn(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** Seconds until a retry makes sense, from a 429 response; null otherwise. */
export function useRetryAfter(): readonly [seconds: number | null, note: (error: unknown) => void] {
  const [until, setUntil] = useState<number | null>(null);
  const words = useClockText((now) => (until === null || now >= until ? '' : String(Math.ceil((until - now) / 1_000))));
  return [
    words === '' ? null : Number(words),
    (error) =>
      setUntil(isApiProblem(error) && error.status === 429 && error.retryAfter !== null ? Date.now() + error.retryAfter * 1_000 : null),
  ];
}

/** False until hydration: before it the form would be submitted natively. */
export function useIsAlive(): boolean {
  return useBrowserValue(() => true, false);
}

interface PasswordRule {
  readonly words: string;
  readonly isMet: boolean;
}

/** Rules the browser can check; the server also rejects common passwords. */
export function passwordRules(password: string, name: string, email: string): readonly PasswordRule[] {
  const length = Array.from(password).length;
  const personal = [name, email, email.split('@')[0] ?? ''].map((each) => each.trim().toLowerCase()).filter((each) => each !== '');
  return [
    {
      words: `${LIMITS.passwordLeast} to ${LIMITS.passwordMost} characters`,
      isMet: length >= LIMITS.passwordLeast && length <= LIMITS.passwordMost,
    },
    { words: 'Not your name or e-mail', isMet: password !== '' && !personal.includes(password.trim().toLowerCase()) },
  ];
}

interface EmailFieldProps extends Pick<ComponentProps<'input'>, 'value' | 'defaultValue' | 'onChange' | 'readOnly' | 'aria-describedby'> {
  description?: ReactNode;
}

export function EmailField({ description, readOnly = false, ...input }: EmailFieldProps) {
  return (
    <Field label="E-mail" description={description}>
      <Input
        {...input}
        name="email"
        type="email"
        autoComplete="username"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        required
        readOnly={readOnly}
        maxLength={LIMITS.emailLength}
        className={readOnly ? 'h-9 bg-subtle' : 'h-9'}
      />
    </Field>
  );
}

interface PasswordFieldProps {
  label: string;
  name: string;
  autoComplete: 'current-password' | 'new-password';
  error?: ReactNode;
  describedBy?: string;
  onChange?: (value: string) => void;
  ref?: Ref<HTMLInputElement> | undefined;
}

export function PasswordField({ label, name, autoComplete, error, describedBy, onChange, ref }: PasswordFieldProps) {
  const [isShown, setShown] = useState(false);
  const [isCaps, setCaps] = useState(false);

  function updateCapsLock(event: KeyboardEvent) {
    setCaps(event.getModifierState('CapsLock'));
  }

  return (
    <Field label={label} error={error} description={isCaps ? 'Caps Lock is on.' : undefined} describedBy={describedBy}>
      <span className="relative block">
        <Input
          ref={ref}
          name={name}
          type={isShown ? 'text' : 'password'}
          autoComplete={autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={LIMITS.passwordGivenLength}
          onKeyDown={updateCapsLock}
          onKeyUp={updateCapsLock}
          onBlur={() => setCaps(false)}
          onChange={(event) => onChange?.(event.target.value)}
          className="h-9 pr-10"
        />
        <button
          type="button"
          aria-label="Show the password"
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
          className="focus-inset absolute inset-y-0 right-0 inline-flex w-9 items-center justify-center rounded text-muted hover:text-fg"
        >
          {isShown ? <EyeOff className="size-4" /> : <Eye className="size-4" />}
        </button>
      </span>
    </Field>
  );
}

interface NewPasswordProps {
  label: string;
  name: string;
  personName: string;
  email: string;
  error?: ReactNode;
}

export function NewPassword({ label, name, personName, email, error }: NewPasswordProps) {
  const id = useId();
  const [value, setValue] = useState('');
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <PasswordField label={label} name={name} autoComplete="new-password" error={error} describedBy={id} onChange={setValue} />
      <ul id={id} aria-label="Password rules" className="flex flex-col gap-1 text-xs">
        {passwordRules(value, personName, email).map(({ words, isMet }) => (
          <li key={words} className={cx('flex items-center gap-2', isMet ? 'text-ok' : 'text-muted')}>
            {isMet ? <Check className="size-3.5" /> : <Circle className="size-3.5 scale-75" />}
            {words}
            <span className="sr-only">{isMet ? ' (met)' : ' (not yet)'}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Always rendered, so that an error does not shift the layout. */
export function FormProblem({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div role="alert" className={cx('foreign flex min-h-10 items-start gap-2 text-sm', className)}>
      {children === null ? null : (
        <>
          <CircleX className="h-lh w-4 shrink-0 text-failed" />
          <span className="min-w-0 font-medium text-failed">{children}</span>
        </>
      )}
    </div>
  );
}
