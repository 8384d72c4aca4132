'use client';

import { CalendarDays, Clock } from 'lucide-react';
import { type ComponentProps, useRef } from 'react';
import { cx } from './cx.ts';
import { type DateKind, pickerText } from './date-text.ts';
import { Input } from './Field.tsx';
import { IconButton } from './IconButton.tsx';

const PICKERS = {
  date: { type: 'date', max: '9999-12-31', verb: 'Pick a date', icon: <CalendarDays /> },
  time: { type: 'time', max: undefined, verb: 'Pick a time', icon: <Clock /> },
  'date-time': { type: 'datetime-local', max: '9999-12-31T23:59:59', verb: 'Pick date and time', icon: <CalendarDays /> },
} as const;

interface DateInputProps extends Omit<ComponentProps<'input'>, 'type' | 'value' | 'step'> {
  kind: DateKind;
  value: string;
  onType: (text: string) => void;
  /** Format of the native input; empty for none. */
  onPick: (picked: string) => void;
  /** For "Pick a date for …". */
  name: string;
  /** In seconds. */
  step?: number;
}

/**
 * Dates and times are typed as text: a native date input does not report incomplete input, which then could not be stored. The
 * native picker opens from a button.
 */
export function DateInput({ kind, value, onType, onPick, name, step = 1, className, ...rest }: DateInputProps) {
  const { verb, icon, ...native } = PICKERS[kind];
  const picker = useRef<HTMLInputElement>(null);
  return (
    <span className="relative flex min-w-0 flex-1">
      <Input
        {...rest}
        type="text"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onType(event.target.value)}
        className={cx('tabular pr-10', className)}
      />
      <input
        {...native}
        ref={picker}
        step={kind === 'date' ? undefined : step}
        tabIndex={-1}
        aria-hidden
        value={pickerText(kind, value)}
        onChange={(event) => onPick(event.target.value)}
        className="pointer-events-none absolute inset-0 size-full opacity-0"
      />
      <IconButton
        size="sm"
        label={`${verb} for ${name}`}
        onClick={() => picker.current?.showPicker()}
        className="absolute top-1/2 right-0.5 -translate-y-1/2"
      >
        {icon}
      </IconButton>
    </span>
  );
}

export const MOMENT_WANTED = 'Enter a date, such as 2026-03-01, or a date and time, such as 2026-03-01 14:30.';

interface MomentInputProps extends Omit<DateInputProps, 'kind' | 'onPick' | 'step'> {
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
