'use client';

import { type ReactNode, type Ref, useId } from 'react';
import { Button } from './Button.tsx';
import { Dialog, type DialogProps } from './Dialog.tsx';
import { Form } from './Field.tsx';
import { ProblemLine } from './ProblemLine.tsx';

export interface FormDialogProps extends Omit<DialogProps, 'actions' | 'isAlert'> {
  submit: string;
  onSubmit: () => unknown;
  pending?: boolean;
  isIncomplete?: boolean;
  error?: Error | null;
  /** Shown instead of the fields once it is set. */
  result?: ReactNode;
  form?: Ref<HTMLFormElement>;
}

export function FormDialog({
  submit,
  onSubmit,
  pending = false,
  isIncomplete = false,
  error = null,
  result = null,
  form = null,
  onClose,
  children,
  ...rest
}: FormDialogProps) {
  const id = useId();
  return (
    <Dialog
      {...rest}
      onClose={onClose}
      actions={
        result === null ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form={id} variant="primary" pending={pending} aria-disabled={isIncomplete}>
              {submit}
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        )
      }
    >
      {result ?? (
        <Form
          ref={form}
          id={id}
          className="flex min-w-0 flex-col gap-4"
          onSubmit={() => (pending || isIncomplete ? undefined : onSubmit())}
        >
          {children}
          <ProblemLine error={error} />
        </Form>
      )}
    </Dialog>
  );
}
