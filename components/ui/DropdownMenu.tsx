'use client';

import { Check } from 'lucide-react';
import type * as MenuRadix from 'radix-ui/dropdown-menu';
import { Slot } from 'radix-ui/slot';
import { useId, useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { cx } from './cx.ts';
import { lazyOverlay, lazyWith, RADIX } from './lazy-part.tsx';
import { keepOpenWhileComposing, pressedKey } from './pressed-key.ts';

interface WithLibrary {
  library: typeof MenuRadix;
}

export interface MenuItemProps {
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

export interface MenuChoiceProps {
  label: string;
  value: string;
  options: readonly { readonly value: string; readonly label: ReactNode; readonly icon?: ReactNode }[];
  onChange: (value: string) => void;
}

interface LabelProps {
  children: ReactNode;
}

const MenuContent = lazyOverlay<typeof MenuRadix, ContentProps>(RADIX.dropdownMenu, Content);
export const MenuItem = lazyWith<typeof MenuRadix, MenuItemProps>(RADIX.dropdownMenu, Item);
export const MenuChoice = lazyWith<typeof MenuRadix, MenuChoiceProps>(RADIX.dropdownMenu, Choice);
export const MenuLabel = lazyWith<typeof MenuRadix, LabelProps>(RADIX.dropdownMenu, Label);

const ITEM =
  'relative flex min-h-8 cursor-default items-center gap-2 rounded-sm px-2 py-1 text-base outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover pointer-coarse:min-h-10 [&_svg]:size-4 [&_svg]:shrink-0';

/** Radix loads when the pointer or focus comes near: a page may have hundreds of menus, and most are never opened. */
export function DropdownMenu({ trigger, align = 'end', children }: { trigger: ReactNode; align?: 'start' | 'end'; children: ReactNode }) {
  const control = useRef<HTMLButtonElement>(null);
  const id = useId();
  const [open, setOpen] = useState(false);

  return (
    <span className="relative inline-flex">
      <Slot
        ref={control}
        id={id}
        aria-haspopup="menu"
        aria-expanded={open}
        data-state={open ? 'open' : 'closed'}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (pressedKey(event) !== 'ArrowDown') return;
          event.preventDefault();
          setOpen(true);
        }}
        onPointerEnter={() => void RADIX.dropdownMenu()}
        onFocus={() => void RADIX.dropdownMenu()}
      >
        {trigger}
      </Slot>
      <MenuContent open={open} onOpenChange={setOpen} control={control} controlId={id} align={align}>
        {children}
      </MenuContent>
    </span>
  );
}

interface ContentProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  control: RefObject<HTMLElement | null>;
  controlId: string;
  align: 'start' | 'end';
  children: ReactNode;
}

/** Anchored at an empty element over the trigger. */
function Content({ library: Radix, open, onOpenChange, control, controlId, align, children }: ContentProps & WithLibrary) {
  return (
    <Radix.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>
        <span aria-hidden tabIndex={-1} className="pointer-events-none absolute inset-0" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          onEscapeKeyDown={keepOpenWhileComposing}
          aria-labelledby={controlId}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (document.activeElement === null || document.activeElement === document.body) control.current?.focus();
          }}
          onInteractOutside={(event) => {
            if (event.target instanceof Node && control.current?.contains(event.target) === true) event.preventDefault();
          }}
          className="z-30 max-h-[calc(100dvh-5rem)] min-w-44 max-w-80 animate-rise-in overflow-y-auto rounded border bg-raised p-1 shadow-overlay"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Item({ library: Radix, icon, danger = false, disabled = false, onSelect, children }: MenuItemProps & WithLibrary) {
  return (
    <Radix.Item disabled={disabled} onSelect={onSelect} className={cx(ITEM, danger && 'text-failed')}>
      {icon}
      {children}
    </Radix.Item>
  );
}

function Choice({ library: Radix, label, value, options, onChange }: MenuChoiceProps & WithLibrary) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={cx(ITEM, 'pr-8')}>
          {option.icon}
          {option.label}
          <Radix.ItemIndicator className="absolute right-2">
            <Check />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

function Label({ library: Radix, children }: LabelProps & WithLibrary) {
  return <Radix.Label className="px-2 py-1 text-xs font-medium text-muted">{children}</Radix.Label>;
}
