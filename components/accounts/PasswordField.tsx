'use client';

import { Eye, EyeOff } from 'lucide-react';
import { useId, useState } from 'react';
import type { KeyboardEvent, ReactNode, Ref } from 'react';
import { Field, Input } from '#components/ui/Field.tsx';
import { LIMITS } from '#lib/contract/limits.ts';

export interface PasswordFieldProps {
  label: string;
  name: string;
  /** Tells password managers whether to fill in or to make one. */
  autoComplete: 'current-password' | 'new-password';
  error?: ReactNode;
  /** Id of what else says how it has to be. */
  describedBy?: string;
  onChange?: (value: string) => void;
  ref?: Ref<HTMLInputElement>;
}

/** A password that can be looked at, with a word when Caps Lock is on. */
export function PasswordField({ label, name, autoComplete, error, describedBy, onChange, ref }: PasswordFieldProps) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const [isCaps, setCaps] = useState(false);
  const says = [
    isCaps ? `${id}-description` : null,
    error === undefined || error === null ? null : `${id}-error`,
    describedBy ?? null,
  ].filter((part) => part !== null);

  function lookAtCaps(event: KeyboardEvent) {
    setCaps(event.getModifierState('CapsLock'));
  }

  return (
    <Field id={id} label={label} error={error} description={isCaps ? 'Caps Lock is on.' : undefined}>
      <span className="relative block">
        <Input
          {...(ref === undefined ? {} : { ref })}
          id={id}
          name={name}
          type={isShown ? 'text' : 'password'}
          autoComplete={autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={LIMITS.passwordGivenLength}
          onKeyDown={lookAtCaps}
          onKeyUp={lookAtCaps}
          onBlur={() => setCaps(false)}
          onChange={(event) => onChange?.(event.target.value)}
          aria-invalid={error !== undefined && error !== null}
          aria-describedby={says.length === 0 ? undefined : says.join(' ')}
          className="h-9 pr-10"
        />
        <button
          type="button"
          aria-label="Show the password"
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
          className="focus-inset absolute inset-y-0 right-0 inline-flex w-9 items-center justify-center rounded text-muted hover:text-fg"
        >
          {isShown ? <EyeOff aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}
        </button>
      </span>
    </Field>
  );
}
