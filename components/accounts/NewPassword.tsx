'use client';

import { Check, Circle } from 'lucide-react';
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { cx } from '#components/ui/cx.ts';
import { PasswordField } from './PasswordField.tsx';
import { passwordRules } from './password-rules.ts';

export interface NewPasswordProps {
  label: string;
  name: string;
  /** Of the person, which it must not be. */
  personName: string;
  email: string;
  error?: ReactNode;
}

/** A password that is being chosen: the rules stand below it, and each is ticked as soon as it is kept. */
export function NewPassword({ label, name, personName, email, error }: NewPasswordProps) {
  const id = useId();
  const [value, setValue] = useState('');
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <PasswordField label={label} name={name} autoComplete="new-password" error={error} describedBy={id} onChange={setValue} />
      <ul id={id} aria-label="The password has to be" className="flex flex-col gap-0.5 text-xs">
        {passwordRules(value, personName, email).map(({ words, isKept }) => (
          <li key={words} className={cx('flex items-center gap-1.5', isKept ? 'text-ok' : 'text-muted')}>
            {isKept ? <Check aria-hidden className="size-3.5" /> : <Circle aria-hidden className="size-3.5 scale-75" />}
            {words}
            <span className="sr-only">{isKept ? ' (kept)' : ' (not yet)'}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
