'use client';

import type * as PopoverRadix from 'radix-ui/popover';
import { Slot } from 'radix-ui/slot';
import { createContext, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { ComponentProps, ReactNode, RefObject } from 'react';
import { cx } from './cx.ts';
import { lazyOverlay, RADIX } from './lazy-part.tsx';
import { keepOpenWhileComposing, pressedKey } from './pressed-key.ts';

const PopoverContent = lazyOverlay<typeof PopoverRadix, ContentProps>(RADIX.popover, Content);

export interface PopoverProps {
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  trigger?: ReactNode;
  /** Or an anchor, if it opens automatically. It then takes no focus and stays until closed. */
  anchor?: ReactNode;
  label: string;
  align?: 'start' | 'center' | 'end';
  className?: string;
  children: ReactNode;
}

const Close = createContext<() => void>(() => undefined);

/** Radix loads when the pointer or focus comes near. */
export function Popover({ open: wanted, onOpenChange, trigger, anchor, label, align = 'end', className, children }: PopoverProps) {
  const isAutomatic = anchor !== undefined;
  const control = useRef<HTMLButtonElement>(null);
  const [own, setOwn] = useState(false);
  const open = wanted ?? own;

  function change(next: boolean) {
    setOwn(next);
    onOpenChange?.(next);
  }

  const close = useMemo(
    () => () => {
      setOwn(false);
      onOpenChange?.(false);
    },
    [onOpenChange],
  );

  return (
    <Close value={close}>
      {isAutomatic ? (
        <AnchoredPopover label={label} open={open} className={className} anchor={anchor} onClose={close}>
          {children}
        </AnchoredPopover>
      ) : (
        <Slot
          ref={control}
          aria-haspopup="dialog"
          aria-expanded={open}
          data-state={open ? 'open' : 'closed'}
          onClick={() => change(!open)}
          onPointerEnter={() => void RADIX.popover()}
          onFocus={() => void RADIX.popover()}
        >
          {trigger}
        </Slot>
      )}
      {isAutomatic ? null : (
        <PopoverContent open={open} onOpenChange={change} anchor={control} label={label} align={align} className={className}>
          {children}
        </PopoverContent>
      )}
    </Close>
  );
}

interface ContentProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  anchor: RefObject<HTMLElement | null>;
  label: string;
  align: 'start' | 'center' | 'end';
  className?: string | undefined;
  children: ReactNode;
}

function Content({
  library: Radix,
  open,
  onOpenChange,
  anchor,
  label,
  align,
  className,
  children,
}: ContentProps & { library: typeof PopoverRadix }) {
  const place = { current: { getBoundingClientRect: () => anchor.current?.getBoundingClientRect() ?? new DOMRect() } };

  function focusAnchor(event: Event) {
    event.preventDefault();
    anchor.current?.focus();
  }

  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Anchor virtualRef={place} />
      <Radix.Portal>
        <Radix.Content
          onEscapeKeyDown={keepOpenWhileComposing}
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={focusAnchor}
          onInteractOutside={(event) => {
            // A press on the trigger closes it there.
            if (event.target instanceof Node && anchor.current?.contains(event.target) === true) event.preventDefault();
          }}
          className={cx(
            'z-30 max-h-[min(36rem,var(--radix-popover-content-available-height))] w-88 max-w-[calc(100vw-1rem)] animate-rise-in overflow-y-auto rounded border bg-raised shadow-overlay',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/**
 * A popover that opens automatically takes no focus, stays until closed, and loads nothing: its subject may be an unreachable
 * server.
 */
function AnchoredPopover({
  label,
  open,
  className,
  anchor,
  onClose,
  children,
}: {
  label: string;
  open: boolean;
  className: string | undefined;
  anchor: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  const frame = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    const control = frame.current?.querySelector('button');
    const onKeyDown = (event: KeyboardEvent) => {
      if (pressedKey(event) === 'Escape' && !event.defaultPrevented) onClose();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      // Only if the focus would be lost: it may have moved elsewhere.
      if (document.activeElement === null || document.activeElement === document.body) control?.focus();
    };
  }, [open, onClose]);

  return (
    <span ref={frame} className="relative inline-flex">
      {anchor}
      {open ? (
        <div
          role="dialog"
          aria-label={label}
          className={cx(
            'absolute top-[calc(100%+0.375rem)] right-0 z-30 max-h-[min(32rem,calc(100dvh-5rem))] w-88 max-w-[calc(100vw-1rem)] animate-rise-in overflow-y-auto rounded border bg-raised shadow-overlay max-sm:fixed max-sm:inset-x-2 max-sm:top-14 max-sm:w-auto',
            className,
          )}
        >
          {children}
        </div>
      ) : null}
    </span>
  );
}

export function PopoverClose({ asChild = false, onClick, ...rest }: ComponentProps<'button'> & { asChild?: boolean }) {
  const close = useContext(Close);
  const Part = asChild ? Slot : 'button';
  return (
    <Part
      type={asChild ? undefined : 'button'}
      {...rest}
      onClick={(event) => {
        onClick?.(event);
        close();
      }}
    />
  );
}
