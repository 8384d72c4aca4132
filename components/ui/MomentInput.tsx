'use client';

import { DateInput } from './DateInput.tsx';
import type { DateInputProps } from './DateInput.tsx';

/** Error message. */
export const MOMENT_WANTED = 'Enter a date, such as 2026-03-01, or a date and time, such as 2026-03-01 14:30.';

export interface MomentInputProps extends Omit<DateInputProps, 'kind' | 'onPick' | 'step'> {
  /** Picker result as text; by default handled like typing. */
  onPicked?: (text: string) => void;
}

/** Date and time to the minute without a zone, which the label names. */
export function MomentInput({ onPicked, ...rest }: MomentInputProps) {
  const pick = onPicked ?? rest.onType;
  return (
    <DateInput
      placeholder="yyyy-mm-dd hh:mm"
      {...rest}
      kind="date-time"
      step={60}
      onPick={(picked) => pick(picked.slice(0, 16).replace('T', ' '))}
    />
  );
}
