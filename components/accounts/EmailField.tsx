import type { ComponentProps, ReactNode } from 'react';
import { Field, Input } from '#components/ui/Field.tsx';
import { LIMITS } from '#lib/contract/limits.ts';

export interface EmailFieldProps extends Pick<
  ComponentProps<'input'>,
  'value' | 'defaultValue' | 'onChange' | 'readOnly' | 'aria-describedby'
> {
  id: string;
  description?: ReactNode;
}

/** The address that somebody signs in with, as the browser and password managers know it. */
export function EmailField({ id, description, readOnly = false, ...input }: EmailFieldProps) {
  return (
    <Field id={id} label="E-mail" description={description}>
      <Input
        aria-describedby={description === undefined ? undefined : `${id}-description`}
        {...input}
        id={id}
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
