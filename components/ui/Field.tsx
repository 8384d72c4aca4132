'use client';

import { ChevronDown } from 'lucide-react';
import { type ComponentProps, createContext, type FormEvent, type ReactNode, useContext, useId } from 'react';
import { cx } from './cx.ts';

const control =
  'w-full rounded border border-control-line bg-panel text-fg transition-colors hover:border-fg/60 disabled:cursor-not-allowed disabled:opacity-60 ' +
  'aria-invalid:border-failed focus-visible:outline-offset-0 pointer-coarse:text-lg';

/** Ties a control to the label, description and error of the field around it. */
export interface FieldNames {
  id?: string;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: true | undefined;
}

const FieldContext = createContext<FieldNames>({});

export function useFieldNames(): FieldNames {
  return useContext(FieldContext);
}

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input dir="auto" {...useFieldNames()} {...rest} className={cx(control, 'h-8 px-2 text-base pointer-coarse:h-10', className)} />;
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea dir="auto" {...useFieldNames()} {...rest} className={cx(control, 'min-h-20 resize-y px-2 py-2 text-base', className)} />;
}

export type Options<Value extends string> = readonly (readonly [value: Value, words: string])[];

interface SelectProps<Value extends string> extends Omit<ComponentProps<'select'>, 'value' | 'onChange' | 'children'> {
  options: Options<Value>;
  value: Value;
  onChange: (value: Value) => void;
}

/** A native select works best on phones and with screen readers. */
export function Select<Value extends string>({ options, onChange, className, ...rest }: SelectProps<Value>) {
  return (
    <span className={cx('relative inline-flex w-full', className)}>
      <select
        {...useFieldNames()}
        {...rest}
        onChange={(event) => {
          const chosen = options.find(([value]) => value === event.target.value);
          if (chosen !== undefined) onChange(chosen[0]);
        }}
        className={cx(control, 'h-8 appearance-none truncate pr-8 pl-2 text-base pointer-coarse:h-10')}
      >
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <ChevronDown className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted" />
    </span>
  );
}

interface FieldProps {
  label: ReactNode;
  description?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  describedBy?: string | undefined;
  className?: string;
  children: ReactNode;
}

export function Field({ label, description, error, required = false, describedBy, className, children }: FieldProps) {
  const id = useId();
  const isDescribed = description !== undefined && description !== null;
  const isInvalid = error !== undefined && error !== null;
  const describedByIds = [isDescribed && `${id}-description`, isInvalid && `${id}-error`, describedBy].filter(Boolean);
  const names: FieldNames = { id, 'aria-describedby': describedByIds.join(' ') || undefined, 'aria-invalid': isInvalid || undefined };
  return (
    <div className={cx('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {required ? <span className="font-normal text-muted"> (required)</span> : null}
      </label>
      <FieldContext value={names}>{children}</FieldContext>
      {isDescribed ? (
        <p id={`${id}-description`} className="foreign text-xs text-muted">
          {description}
        </p>
      ) : null}
      {isInvalid ? (
        <p id={`${id}-error`} className="foreign text-xs font-medium text-failed">
          {error}
        </p>
      ) : null}
    </div>
  );
}

/** Submit handler that also works for a dialog inside another form. */
export function Form({ onSubmit, ...rest }: Omit<ComponentProps<'form'>, 'onSubmit'> & { onSubmit: () => unknown }) {
  function submit(event: FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    onSubmit();
  }
  return <form {...rest} onSubmit={submit} />;
}

export function Checkbox({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input {...rest} type="checkbox" className={cx('size-4 shrink-0 accent-accent', className)} />;
}

interface RadioGroupProps<Value extends string> {
  title: string;
  isTitleHidden?: boolean;
  options: readonly { readonly value: Value; readonly words: string; readonly note?: ReactNode }[];
  value: Value;
  onChange: (value: Value) => void;
  children?: ReactNode;
}

/** One of a few choices, each with its note, and what the chosen one needs below them. */
export function RadioGroup<Value extends string>({
  title,
  isTitleHidden = false,
  options,
  value,
  onChange,
  children,
}: RadioGroupProps<Value>) {
  const id = useId();
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className={isTitleHidden ? 'sr-only' : 'mb-1 text-sm font-medium'}>{title}</legend>
      {options.map((option) => (
        <label key={option.value} className="flex min-h-6 items-start gap-2 pointer-coarse:min-h-10">
          <input
            type="radio"
            name={id}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            aria-labelledby={`${id}-${option.value}`}
            aria-describedby={`${id}-${option.value}-note`}
            className="h-lh w-4 shrink-0 accent-accent"
          />
          <span className="flex min-w-0 flex-col">
            <span id={`${id}-${option.value}`}>{option.words}</span>
            <span id={`${id}-${option.value}-note`} className="text-sm text-muted empty:hidden">
              {option.note}
            </span>
          </span>
        </label>
      ))}
      {children}
    </fieldset>
  );
}

interface NameFieldProps {
  value: string;
  isBad: boolean;
  /** Another reason why it cannot be used. */
  error?: string | null;
  placeholder: string;
  onChange: (name: string) => void;
}

/** Name of a new object, which is part of its URL. */
export function NameField({ isBad, error = null, onChange, ...rest }: NameFieldProps) {
  return (
    <Field label="Name" error={isBad ? 'A letter, then letters, digits, “_” or “-”.' : error}>
      <Input
        {...rest}
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
