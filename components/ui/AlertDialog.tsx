'use client';

import type * as AlertDialogRadix from 'radix-ui/alert-dialog';
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from './Button.tsx';
import { CentredDialog, type DialogProps } from './Dialog.tsx';
import { lazyOverlay, RADIX } from './lazy-part.tsx';
import { ProblemLine } from './ProblemLine.tsx';

/** `title` names the object: "Run run_shell_command?"; `description` is the consequence. */
export interface AlertDialogProps extends Omit<DialogProps, 'actions'> {
  confirm: string;
  danger?: boolean;
  /** Closes when it resolves; when it rejects, the dialog stays open with the message. */
  onConfirm: () => Promise<unknown> | void;
}

/** Confirms an action that cannot be undone easily. A press outside does not close it. */
export const AlertDialog = lazyOverlay<typeof AlertDialogRadix, AlertDialogProps>(RADIX.alertDialog, Question);

function Question({
  library: Radix,
  open = true,
  onClose,
  confirm,
  danger = false,
  onConfirm,
  children,
  ...rest
}: AlertDialogProps & { library: typeof AlertDialogRadix }) {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const problemId = useId();
  /** Incremented per question, so that the result of an earlier one is not shown for the next. */
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
    const started = question.current;
    setPending(true);
    setProblem(null);
    try {
      await onConfirm();
      if (question.current === started) onClose();
    } catch (error) {
      if (question.current === started) setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <CentredDialog
      {...rest}
      library={Radix}
      open={open}
      onClose={onClose}
      actions={
        <>
          <Radix.Cancel asChild>
            <Button>Cancel</Button>
          </Radix.Cancel>
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
    </CentredDialog>
  );
}
