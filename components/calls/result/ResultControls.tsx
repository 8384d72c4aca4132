'use client';

import { Download } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { cx } from '#components/ui/cx.ts';

/** Letters, digits, dots and dashes only: no folders, hidden files or foreign extensions. */
export function fileName(parts: readonly string[], ending: string): string {
  const safe = parts
    .map((part) => part.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^-+|-+$/g, ''))
    .filter((part) => part !== '')
    .join('-');
  return `${safe === '' ? 'result' : safe.slice(0, 100)}.${ending}`;
}

/** Never opened in place. */
function download(name: string, content: string | Uint8Array<ArrayBuffer>): void {
  const type = typeof content === 'string' ? 'text/plain;charset=utf-8' : 'application/octet-stream';
  const address = URL.createObjectURL(new Blob([content], { type }));
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Null for invalid base64. */
export function bytesFromBase64(data: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
  } catch {
    return null;
  }
}

interface ChoiceProps<Id extends string> {
  label: string;
  options: readonly { readonly id: Id; readonly label: string }[];
  value: Id;
  onChange: (id: Id) => void;
}

export function Choice<Id extends string>({ label, options, value, onChange }: ChoiceProps<Id>) {
  return (
    <div role="group" aria-label={label} className="inline-flex w-fit shrink-0 self-start rounded border border-line-strong bg-panel p-0.5">
      {options.map((option) => (
        <button
          key={option.id}
          type="button"
          aria-pressed={option.id === value}
          onClick={() => onChange(option.id)}
          className={cx(
            'h-6 rounded-sm px-2 text-sm whitespace-nowrap text-muted transition-colors hover:text-fg pointer-coarse:h-10 pointer-coarse:px-3',
            option.id === value && 'bg-accent-soft font-medium text-fg',
          )}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

interface DownloadButtonProps {
  label: string;
  isIcon?: boolean;
  name: string;
  content: () => string | Uint8Array<ArrayBuffer>;
}

export function DownloadButton({ label, isIcon = false, name, content }: DownloadButtonProps) {
  const press = () => download(name, content());
  if (isIcon)
    return (
      <IconButton size="sm" label={label} onClick={press}>
        <Download className="size-3.5 text-muted" />
      </IconButton>
    );
  return (
    <Button size="sm" icon={<Download />} onClick={press}>
      {label}
    </Button>
  );
}
