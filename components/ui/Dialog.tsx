'use client';

import { X } from 'lucide-react';
import * as Radix from 'radix-ui/dialog';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { Button } from './Button.tsx';
import { cx } from './cx.ts';
import { useFocusReturn } from './use-focus-return.ts';

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

const overlay = 'fixed inset-0 z-40 animate-fade-in bg-scrim';
const close = 'absolute top-2.5 right-2.5 inline-flex size-8 items-center justify-center rounded text-muted hover:bg-hover hover:text-fg';

/** A question or a form over the page. Escape and the cross close it; the focus goes back to where it was. */
export function Dialog({ open, onOpenChange, title, description, actions, wide = false, children }: DialogProps) {
  const focus = useFocusReturn();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlay} />
        <Radix.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          {...focus}
          className={cx(
            'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 animate-rise-in flex-col rounded border bg-raised shadow-overlay',
            wide ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <div className="flex flex-col gap-1 px-5 pt-4 pr-12">
            <Radix.Title className="text-lg font-semibold break-words">{title}</Radix.Title>
            {description === undefined ? null : <Radix.Description className="text-muted">{description}</Radix.Description>}
          </div>
          {children === undefined ? <div className="h-4" /> : <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>}
          {actions === undefined ? null : <div className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{actions}</div>}
          <Radix.Close aria-label="Close" className={close}>
            <X aria-hidden className="size-4" />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface SheetProps extends Omit<DialogProps, 'wide'> {
  /** `bottom` on a phone, `right` beside a list; `auto` picks by the width of the window. */
  side?: 'auto' | 'bottom' | 'right';
}

/** A panel that slides in from an edge and can be closed like a dialog. */
export function Sheet({ open, onOpenChange, title, description, actions, side = 'auto', children }: SheetProps) {
  const focus = useFocusReturn(focusWhole);
  const bottom = 'inset-x-0 bottom-0 max-h-[85dvh] animate-sheet-in border-t';
  const right = 'inset-y-0 right-0 w-full max-w-xl animate-drawer-in border-l';
  const auto =
    'max-md:inset-x-0 max-md:bottom-0 max-md:max-h-[85dvh] max-md:animate-sheet-in max-md:border-t md:inset-y-0 md:right-0 md:w-full md:max-w-xl md:animate-drawer-in md:border-l';
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlay} />
        <Radix.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          {...focus}
          className={cx(
            'fixed z-40 flex flex-col bg-raised shadow-overlay outline-none',
            side === 'auto' ? auto : side === 'bottom' ? bottom : right,
          )}
        >
          <div className="flex min-h-12 flex-col justify-center gap-1 border-b px-4 py-2 pr-12">
            <Radix.Title className="text-base font-semibold break-words">{title}</Radix.Title>
            {description === undefined ? null : <Radix.Description className="text-sm text-muted">{description}</Radix.Description>}
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-4 pb-[max(1rem,env(safe-area-inset-bottom))]">{children}</div>
          {actions === undefined ? null : (
            <div className="flex flex-wrap justify-end gap-2 border-t px-4 py-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
              {actions}
            </div>
          )}
          <Radix.Close aria-label="Close" className={close}>
            <X aria-hidden className="size-4" />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The sheet, not its first field: on a phone that would bring up the keyboard. */
function focusWhole(event: Event) {
  event.preventDefault();
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
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

  async function run() {
    setPending(true);
    setProblem(null);
    try {
      await onConfirm();
      onOpenChange(false);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        setProblem(null);
        onOpenChange(next);
      }}
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
            <p id={problemId} role="alert" className="foreign mt-2 text-failed first:mt-0">
              {problem}
            </p>
          )}
        </>
      )}
    </Dialog>
  );
}
