import { ChevronDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx.ts';

const control =
  'w-full rounded border border-control-line bg-panel text-fg transition-colors hover:border-fg/60 disabled:cursor-not-allowed disabled:opacity-60 ' +
  'aria-invalid:border-failed focus-visible:outline-offset-0 pointer-coarse:text-lg';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input dir="auto" {...rest} className={cx(control, 'h-8 px-2.5 text-base pointer-coarse:h-10', className)} />;
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea dir="auto" {...rest} className={cx(control, 'min-h-20 resize-y px-2.5 py-1.5 text-base', className)} />;
}

/** A native select works best on phones and with screen readers. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className={cx('relative inline-flex w-full', className)}>
      <select {...rest} className={cx(control, 'h-8 appearance-none truncate pr-8 pl-2.5 text-base pointer-coarse:h-10')}>
        {children}
      </select>
      <ChevronDown className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted" />
    </span>
  );
}

interface FieldProps {
  /** Id of the control. Description and error have `<id>-description` and `<id>-error`; reference them in aria-describedby. */
  id: string;
  label: ReactNode;
  description?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  className?: string;
  children: ReactNode;
}

/** A control with label, help and error. */
export function Field({ id, label, description, error, required = false, className, children }: FieldProps) {
  return (
    <div className={cx('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {required ? <span className="font-normal text-muted"> (required)</span> : null}
      </label>
      {children}
      {description === undefined || description === null ? null : (
        <p id={`${id}-description`} className="foreign text-xs text-muted">
          {description}
        </p>
      )}
      {error === undefined || error === null ? null : (
        <p id={`${id}-error`} className="foreign text-xs font-medium text-failed">
          {error}
        </p>
      )}
    </div>
  );
}

export function Checkbox({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input {...rest} type="checkbox" className={cx('size-4 shrink-0 accent-accent', className)} />;
}

interface NameFieldProps {
  id: string;
  value: string;
  isBad: boolean;
  placeholder: string;
  onChange: (name: string) => void;
}

/** The name of something new that has an address. */
export function NameField({ id, value, isBad, placeholder, onChange }: NameFieldProps) {
  return (
    <Field id={id} label="Name" error={isBad ? 'A letter, then letters, digits, “_” or “-”.' : null}>
      <Input
        id={id}
        value={value}
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        className="font-mono"
        aria-invalid={isBad}
        aria-describedby={`${id}-error`}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
