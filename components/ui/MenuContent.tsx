'use client';

import { Check } from 'lucide-react';
import * as Radix from 'radix-ui/dropdown-menu';
import type { ReactNode, RefObject } from 'react';
import { cx } from './cx.ts';
import type { MenuChoiceProps, MenuItemProps } from './DropdownMenu.tsx';
import { keepOpenWhileComposing } from './pressed-key.ts';

const item =
  'relative flex min-h-8 cursor-default items-center gap-2 rounded-sm px-2 py-1 text-base outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover pointer-coarse:min-h-10 [&_svg]:size-4 [&_svg]:shrink-0';

export interface MenuContentProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  control: RefObject<HTMLElement | null>;
  /** Id of the control, which names the menu. */
  controlId: string;
  align: 'start' | 'end';
  children: ReactNode;
}

/** The list of a menu, loaded when the first one opens. It stands at an empty element that lies over its control. */
export function MenuContent({ open, onOpenChange, control, controlId, align, children }: MenuContentProps) {
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

export function Item({ icon, danger = false, disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item disabled={disabled} onSelect={onSelect} className={cx(item, danger && 'text-failed')}>
      {icon}
      {children}
    </Radix.Item>
  );
}

export function Choice({ label, value, options, onChange }: MenuChoiceProps) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={cx(item, 'pr-8')}>
          {option.icon}
          {option.label}
          <Radix.ItemIndicator className="absolute right-2">
            <Check aria-hidden />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

export function Label({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 py-1 text-xs font-medium text-muted">{children}</Radix.Label>;
}
