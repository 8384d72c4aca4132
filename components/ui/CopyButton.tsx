'use client';

import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import { IconButton } from './IconButton.tsx';

export interface CopyButtonProps {
  text: string | (() => string);
  label: string;
  words?: boolean;
  disabled?: boolean;
  className?: string | undefined;
}

export function CopyButton({ text, label, words = false, disabled = false, className }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null);

  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy() {
    setOutcome((await copyText(text)) ? 'copied' : 'refused');
  }

  const icon =
    outcome === 'copied' ? (
      <Check className="size-3.5 text-ok" />
    ) : outcome === 'refused' ? (
      <X className="text-failed" />
    ) : (
      <Copy className={words ? undefined : 'size-3.5 text-muted'} />
    );
  const status = outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Copy failed' : null;
  return (
    <>
      {words ? (
        <Button size="sm" icon={icon} disabled={disabled} onClick={() => void copy()} className={className}>
          {status ?? label}
        </Button>
      ) : (
        <IconButton size="sm" label={status ?? label} disabled={disabled} onClick={() => void copy()} className={className}>
          {icon}
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {status}
      </span>
    </>
  );
}

/** False if the browser refuses, or has no clipboard, as on pages without HTTPS. */
export async function copyText(text: string | (() => string)): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    return true;
  } catch {
    return false;
  }
}
