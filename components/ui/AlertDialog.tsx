'use client';

import type * as AlertDialogRadix from 'radix-ui/alert-dialog';
import { useEffect, useId, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { DIALOG_OVERLAY, DialogBody, dialogClasses, useFocusReturn } from './Dialog.tsx';
import { lazyOverlay, RADIX } from './lazy-part.tsx';
import { keepOpenWhileComposing } from './pressed-key.ts';
import { ProblemLine } from './ProblemLine.tsx';

export interface AlertDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Names the object: "Run run_shell_command?" */
  title: ReactNode;
  /** The consequence. */
  description: ReactNode;
  /** A verb. */
  confirm: string;
  danger?: boolean;
  wide?: boolean;
  /** Closes when it resolves; when it rejects, the dialog stays open with the message. */
  onConfirm: () => Promise<unknown> | void;
  /** Details, for example the payload. */
  children?: ReactNode;
}

/** Confirms an action that cannot be undone easily. A press outside does not close it. */
export const AlertDialog = lazyOverlay<typeof AlertDialogRadix, AlertDialogProps>(RADIX.alertDialog, AlertFrame);

function AlertFrame({
  library: Radix,
  open,
  onOpenChange,
  title,
  description,
  confirm,
  danger = false,
  wide = false,
  onConfirm,
  children,
}: AlertDialogProps & { library: typeof AlertDialogRadix }) {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const problemId = useId();
  const focus = useFocusReturn();
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
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={DIALOG_OVERLAY} />
        <Radix.Content onEscapeKeyDown={keepOpenWhileComposing} {...focus} className={dialogClasses(wide)}>
          <div className="flex flex-col gap-1 px-5 pt-4">
            <Radix.Title className="text-lg font-semibold break-words">{title}</Radix.Title>
            <Radix.Description className="text-muted">{description}</Radix.Description>
          </div>
          <DialogBody
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
          </DialogBody>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
