'use client';

import { DateInput } from './DateInput.tsx';
import type { DateInputProps } from './DateInput.tsx';

/** What is said where a text names no moment. */
export const MOMENT_WANTED = 'Write a day, such as 2026-03-01, or a day and a time, such as 2026-03-01 14:30.';

export interface MomentInputProps extends Omit<DateInputProps, 'kind' | 'onPick' | 'step'> {
  /** What was picked, as it would have been typed; as if it were typed unless it is given. */
  onPicked?: (text: string) => void;
}

/** A day and a time to the minute, without a zone: whose time it is says its label. */
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
