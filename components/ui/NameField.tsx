import { Field, Input } from './Field.tsx';

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
