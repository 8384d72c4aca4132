'use client';

import type { FormEvent, ReactNode } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { messageOf } from '#lib/client/api-problem.ts';

/** Asks what something is to be, makes it, and then shows once what is told only once. */
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
  /** What the button says. */
  make: string;
  pending: boolean;
  disabled?: boolean;
  /** Why it could not be made. */
  error: Error | null;
  /** Null until it is made. */
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
