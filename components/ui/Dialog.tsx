'use client';

import { X } from 'lucide-react';
import type * as DialogRadix from 'radix-ui/dialog';
import { useRef } from 'react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { lazyOverlay, RADIX } from './lazy-part.tsx';
import { keepOpenWhileComposing } from './pressed-key.ts';

interface OverlayProps {
  /** By default open while it is mounted. */
  open?: boolean;
  onClose: () => void;
  title: ReactNode;
  children?: ReactNode;
}

export interface DialogProps extends OverlayProps {
  description?: ReactNode;
  /** Footer buttons, the primary one last. */
  actions?: ReactNode;
  wide?: boolean;
  /** Prevent its default to focus another element than the first. */
  onOpen?: (event: Event) => void;
}

interface WithLibrary {
  library: typeof DialogRadix;
}

/** Parts shared with alert dialogs, which are a separate Radix package. */
type CommonParts = Pick<typeof DialogRadix, 'Root' | 'Portal' | 'Overlay' | 'Content' | 'Title' | 'Description'>;

/** Modal dialog. Escape and the close button close it, and the focus returns. */
export const Dialog = lazyOverlay<typeof DialogRadix, DialogProps>(RADIX.dialog, DialogPart);

/** Modal panel that slides in from an edge: the bottom of a phone, else the right. */
export const Sheet = lazyOverlay<typeof DialogRadix, OverlayProps>(RADIX.dialog, SheetPart);

interface FrameProps extends Omit<OverlayProps, 'title'> {
  library: CommonParts;
  className: string;
  isDescribed?: boolean;
  onOpen?: ((event: Event) => void) | undefined;
}

export function DialogFrame({ library: Radix, open = true, onClose, className, isDescribed, onOpen, children }: FrameProps) {
  const focus = useFocusReturn(onOpen);
  return (
    <Radix.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade-in bg-scrim" />
        <Radix.Content
          onEscapeKeyDown={keepOpenWhileComposing}
          {...(isDescribed === true ? {} : { 'aria-describedby': undefined })}
          {...focus}
          className={className}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function DialogPart(props: DialogProps & WithLibrary) {
  const { library } = props;
  return <CentredDialog {...props} cross={<Cross library={library} />} />;
}

interface CentredProps extends DialogProps {
  library: CommonParts;
  /** Closes it; undefined for alert dialogs. */
  cross?: ReactNode;
}

export function CentredDialog({ title, description, actions, wide = false, cross, children, ...rest }: CentredProps) {
  const { library: Radix } = rest;
  return (
    <DialogFrame
      {...rest}
      isDescribed={description !== undefined}
      className={cx(
        'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 animate-rise-in flex-col rounded border bg-raised shadow-overlay',
        wide ? 'max-w-3xl' : 'max-w-lg',
      )}
    >
      <div className={cx('flex flex-col gap-1 px-5 pt-4', cross !== undefined && 'pr-12')}>
        <Radix.Title className="text-lg font-semibold break-words">{title}</Radix.Title>
        {description === undefined ? null : <Radix.Description className="text-muted">{description}</Radix.Description>}
      </div>
      {children === undefined ? <div className="h-4" /> : <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>}
      {actions === undefined ? null : <div className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{actions}</div>}
      {cross}
    </DialogFrame>
  );
}

function SheetPart({ title, children, ...rest }: OverlayProps & WithLibrary) {
  const { library: Radix } = rest;
  return (
    <DialogFrame
      {...rest}
      onOpen={focusContent}
      className="fixed z-40 flex flex-col bg-raised shadow-overlay outline-none max-md:inset-x-0 max-md:bottom-0 max-md:max-h-[85dvh] max-md:animate-sheet-in max-md:border-t md:inset-y-0 md:right-0 md:w-full md:max-w-xl md:animate-drawer-in md:border-l"
    >
      <div className="flex min-h-12 flex-col justify-center gap-1 border-b px-4 py-2 pr-12">
        <Radix.Title className="text-base font-semibold break-words">{title}</Radix.Title>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto p-4 pb-[max(1rem,env(safe-area-inset-bottom))]">{children}</div>
      <Cross library={Radix} />
    </DialogFrame>
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
function focusContent(event: Event) {
  event.preventDefault();
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
}

/**
 * Returns the focus when a dialog closes. Radix only returns it to its own trigger, which a dialog opened by state does not
 * have. If the element is gone, the page content gets the focus.
 */
function useFocusReturn(onOpen?: (event: Event) => void) {
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
