'use client';

import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { ProblemLine } from './ProblemLine.tsx';

/*
 * What a dialog is made of is loaded when the first one opens: no page needs it for its first picture. Once opened it stays, so
 * that it can give the focus back when it closes.
 */
const DialogFrame = lazy(() => import('./DialogFrame.tsx').then((module) => ({ default: module.DialogFrame })));
const SheetFrame = lazy(() => import('./DialogFrame.tsx').then((module) => ({ default: module.SheetFrame })));

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  /** Buttons at the foot, the main one last. */
  actions?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
}

/** A question or a form over the page. Escape and the cross close it; the focus goes back to where it was. */
export function Dialog(props: DialogProps) {
  const [used, setUsed] = useState(props.open);
  if (props.open && !used) setUsed(true);
  return used ? (
    <Suspense fallback={null}>
      <DialogFrame {...props} />
    </Suspense>
  ) : null;
}

export interface SheetProps extends Omit<DialogProps, 'wide'> {
  /** `bottom` on a phone, `right` beside a list; `auto` picks by the width of the window. */
  side?: 'auto' | 'bottom' | 'right';
}

/** A panel that slides in from an edge and can be closed like a dialog. */
export function Sheet(props: SheetProps) {
  const [used, setUsed] = useState(props.open);
  if (props.open && !used) setUsed(true);
  return used ? (
    <Suspense fallback={null}>
      <SheetFrame {...props} />
    </Suspense>
  ) : null;
}

export interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The question, naming the thing: "Run run_shell_command?" */
  title: ReactNode;
  /** What will happen, in plain words. */
  description: ReactNode;
  /** A verb. */
  confirm: string;
  danger?: boolean;
  wide?: boolean;
  /** Closes the dialog when it resolves; when it rejects the dialog stays open and shows the message. */
  onConfirm: () => Promise<unknown> | void;
  /** What it is about, for example the payload. */
  children?: ReactNode;
}

/** Asks before something is done that cannot simply be undone. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  confirm,
  danger = false,
  wide = false,
  onConfirm,
  children,
}: ConfirmDialogProps) {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const problemId = useId();
  /** Counts how often it was asked: what comes of an earlier question is not told at the next one. */
  const question = useRef(0);
  const [wasOpen, setWasOpen] = useState(open);
  if (open !== wasOpen) {
    setWasOpen(open);
    setProblem(null);
  }

  useEffect(() => {
    if (open) question.current += 1;
  }, [open]);

  async function run() {
    const asked = question.current;
    setPending(true);
    setProblem(null);
    try {
      await onConfirm();
      if (question.current === asked) onOpenChange(false);
    } catch (error) {
      if (question.current === asked) setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description={description}
      wide={wide}
      actions={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            pending={pending}
            aria-describedby={problem === null ? undefined : problemId}
            onClick={() => void run()}
          >
            {confirm}
          </Button>
        </>
      }
    >
      {children === undefined && problem === null ? undefined : (
        <>
          {children}
          {problem === null ? null : (
            <ProblemLine id={problemId} className="mt-2 text-base first:mt-0">
              {problem}
            </ProblemLine>
          )}
        </>
      )}
    </Dialog>
  );
}
