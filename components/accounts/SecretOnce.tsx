'use client';

import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { CopyButton } from '#components/ui/CopyButton.tsx';

export function SecretOnce({ text, label, copyLabel }: { text: string; label: string; copyLabel: string }) {
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    field.current?.focus();
    field.current?.select();
    field.current?.scrollTo({ left: 0 });
  }, []);

  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 gap-2 rounded border border-accent bg-accent-soft py-1 pr-1 pl-3 max-sm:flex-col max-sm:items-start sm:items-center">
        <input
          ref={field}
          readOnly
          value={text}
          aria-label={label}
          onFocus={(event) => event.target.select()}
          className="min-w-0 flex-1 truncate rounded-sm bg-transparent font-mono text-sm max-sm:w-full"
        />
        <CopyButton text={text} label={copyLabel} words />
      </div>
      <p className="flex items-start gap-2 text-sm text-degraded">
        <TriangleAlert className="h-lh w-3.5 shrink-0" />
        Shown only once. Copy it now; the server cannot show it again.
      </p>
    </div>
  );
}
