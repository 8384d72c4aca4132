'use client';

import { Eye, EyeOff } from 'lucide-react';
import { createContext, useState } from 'react';
import type { ReactNode } from 'react';
import { Input } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import type { ControlProps } from './controls.ts';
import { useControlNames } from './form-view.ts';
import { sameJson } from './same-json.ts';

/** Whether the fields here are parts of a secret. */
export const WithinSecret = createContext(false);

/** A secret in a control that cannot mask what it shows: hidden until it is asked for, except while it is being filled in here. */
export function SecretCover({ control, show }: { control: ControlProps; show: (control: ControlProps) => ReactNode }) {
  const { pointer, name, value } = control;
  const names = useControlNames(pointer);
  const [shown, setShown] = useState(false);
  const [typed, setTyped] = useState<{ readonly value: unknown } | null>(null);
  const visible = shown || value === undefined || (typed !== null && sameJson(typed.value, value));

  function change(next: unknown) {
    setTyped({ value: next });
    control.onChange(next);
  }

  return (
    <span className="flex min-w-0 items-start gap-1">
      <span className="flex min-w-0 grow flex-col gap-1">
        {visible ? (
          show({ ...control, onChange: change })
        ) : (
          <Input {...names} type="text" aria-label={`${name}, hidden`} readOnly value="hidden" />
        )}
      </span>
      {value === undefined ? null : (
        <IconButton
          size="sm"
          label={visible ? `Hide ${name}` : `Show ${name}`}
          aria-pressed={visible}
          onClick={() => {
            setShown(!visible);
            setTyped(null);
          }}
        >
          {visible ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
        </IconButton>
      )}
    </span>
  );
}
