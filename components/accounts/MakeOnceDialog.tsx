'use client';

import { TriangleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { messageOf } from '#lib/client/api-problem.ts';

export function MakeOnceDialog({
  title,
  description,
  wide = false,
  formId,
  make,
  pending,
  disabled = false,
  error,
  shown,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  description: string;
  wide?: boolean;
  formId: string;
  make: string;
  pending: boolean;
  disabled?: boolean;
  error: Error | null;
  shown: ReactNode | null;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!disabled) onSubmit();
  }
  return (
    <Dialog
      open
      wide={wide}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={title}
      description={description}
      actions={
        shown === null ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form={formId} variant="primary" pending={pending} aria-disabled={disabled}>
              {make}
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        )
      }
    >
      {shown ?? (
        <form id={formId} className="flex min-w-0 flex-col gap-4" onSubmit={submit}>
          {children}
          {error === null ? null : <ProblemLine>{messageOf(error)}</ProblemLine>}
        </form>
      )}
    </Dialog>
  );
}

export function SecretOnce({ text, label, copyLabel }: { text: string; label: string; copyLabel: string }) {
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    field.current?.focus();
    field.current?.select();
    field.current?.scrollTo({ left: 0 });
  }, []);

  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex min-w-0 gap-2 rounded border border-accent bg-accent-soft py-1.5 pr-1.5 pl-3 max-sm:flex-col max-sm:items-start sm:items-center">
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
      <p className="flex items-start gap-1.5 text-sm text-degraded">
        <TriangleAlert className="mt-0.5 size-3.5 shrink-0" />
        Shown only once. Copy it now; the server cannot show it again.
      </p>
    </div>
  );
}
