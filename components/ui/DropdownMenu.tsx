'use client';

import { Check } from 'lucide-react';
import * as Radix from 'radix-ui/dropdown-menu';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

const item =
  'relative flex min-h-8 cursor-default items-center gap-2 rounded-sm px-2 py-1 text-base outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover pointer-coarse:min-h-10 [&_svg]:size-4 [&_svg]:shrink-0';

/** A list of actions behind one control. */
export function DropdownMenu({ trigger, align = 'end', children }: { trigger: ReactNode; align?: 'start' | 'end'; children: ReactNode }) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-30 max-h-[calc(100dvh-5rem)] min-w-44 max-w-80 animate-rise-in overflow-y-auto rounded border bg-raised p-1 shadow-overlay"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface MenuItemProps {
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

export function MenuItem({ icon, danger = false, disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item disabled={disabled} onSelect={onSelect} className={cx(item, danger && 'text-failed')}>
      {icon}
      {children}
    </Radix.Item>
  );
}

export interface MenuChoiceProps {
  label: string;
  value: string;
  options: readonly { readonly value: string; readonly label: ReactNode; readonly icon?: ReactNode }[];
  onChange: (value: string) => void;
}

/** One of several, the present one marked. */
export function MenuChoice({ label, value, options, onChange }: MenuChoiceProps) {
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

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 py-1 text-xs font-medium text-muted">{children}</Radix.Label>;
}
