'use client';

import { X } from 'lucide-react';
import type * as DialogRadix from 'radix-ui/dialog';
import { useRef } from 'react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { lazyOverlay, RADIX } from './lazy-part.tsx';
import { keepOpenWhileComposing } from './pressed-key.ts';

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  /** Footer buttons, the primary one last. */
  actions?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
}

export interface SheetProps extends Omit<DialogProps, 'wide'> {
  /** `bottom` on a phone, `right` beside a list; `auto` depends on the window width. */
  side?: 'auto' | 'bottom' | 'right';
}

interface WithLibrary {
  library: typeof DialogRadix;
}

/** Modal dialog. Escape and the close button close it, and the focus returns. */
export const Dialog = lazyOverlay<typeof DialogRadix, DialogProps>(RADIX.dialog, DialogFrame);

/** Modal panel that slides in from an edge. */
export const Sheet = lazyOverlay<typeof DialogRadix, SheetProps>(RADIX.dialog, SheetFrame);

export const DIALOG_OVERLAY = 'fixed inset-0 z-40 animate-fade-in bg-scrim';
const DIALOG =
  'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 animate-rise-in flex-col rounded border bg-raised shadow-overlay';

/** Classes of a centered dialog. */
export function dialogClasses(wide: boolean): string {
  return cx(DIALOG, wide ? 'max-w-3xl' : 'max-w-lg');
}

function DialogFrame({
  library: Radix,
  open,
  onOpenChange,
  title,
  description,
  actions,
  wide = false,
  children,
}: DialogProps & WithLibrary) {
  const focus = useFocusReturn();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={DIALOG_OVERLAY} />
        <Radix.Content
          onEscapeKeyDown={keepOpenWhileComposing}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          {...focus}
          className={dialogClasses(wide)}
        >
          <div className="flex flex-col gap-1 px-5 pt-4 pr-12">
            <Radix.Title className="text-lg font-semibold break-words">{title}</Radix.Title>
            {description === undefined ? null : <Radix.Description className="text-muted">{description}</Radix.Description>}
          </div>
          <DialogBody actions={actions}>{children}</DialogBody>
          <Cross library={Radix} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Scrolling content and buttons below the title. */
export function DialogBody({ actions, children }: Pick<DialogProps, 'actions' | 'children'>) {
  return (
    <>
      {children === undefined ? <div className="h-4" /> : <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>}
      {actions === undefined ? null : <div className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{actions}</div>}
    </>
  );
}

function SheetFrame({
  library: Radix,
  open,
  onOpenChange,
  title,
  description,
  actions,
  side = 'auto',
  children,
}: SheetProps & WithLibrary) {
  const focus = useFocusReturn(focusWhole);
  const bottom = 'inset-x-0 bottom-0 max-h-[85dvh] animate-sheet-in border-t';
  const right = 'inset-y-0 right-0 w-full max-w-xl animate-drawer-in border-l';
  const auto =
    'max-md:inset-x-0 max-md:bottom-0 max-md:max-h-[85dvh] max-md:animate-sheet-in max-md:border-t md:inset-y-0 md:right-0 md:w-full md:max-w-xl md:animate-drawer-in md:border-l';
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={DIALOG_OVERLAY} />
        <Radix.Content
          onEscapeKeyDown={keepOpenWhileComposing}
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
          <Cross library={Radix} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Cross({ library: Radix }: WithLibrary) {
  return (
    <Radix.Close
      aria-label="Close"
      className="absolute top-2.5 right-2.5 inline-flex size-8 items-center justify-center rounded text-muted hover:bg-hover hover:text-fg"
    >
      <X className="size-4" />
    </Radix.Close>
  );
}

/** Focuses the sheet: focusing its first field would open the keyboard of a phone. */
function focusWhole(event: Event) {
  event.preventDefault();
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
}

/**
 * Returns the focus when a dialog closes. Radix only returns it to its own trigger, which a dialog opened by state does not
 * have. If the element is gone, the page content gets the focus.
 */
export function useFocusReturn(onOpen?: (event: Event) => void) {
  const before = useRef<Element | null>(null);
  return {
    onOpenAutoFocus(event: Event) {
      before.current = document.activeElement;
      onOpen?.(event);
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      const target = before.current;
      if (target instanceof HTMLElement && target !== document.body && target.isConnected) target.focus();
      else document.getElementById('content')?.focus({ preventScroll: true });
    },
  };
}
