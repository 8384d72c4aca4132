'use client';

import { Slot } from 'radix-ui/slot';
import { lazy, Suspense, useId, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { pressedKey } from './pressed-key.ts';

const load = () => import('./MenuContent.tsx');
const MenuContent = lazy(() => load().then((module) => ({ default: module.MenuContent })));

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

/** One action of a menu. */
export const MenuItem = lazy(() => load().then((module) => ({ default: module.Item })));
/** One of several, the present one marked. */
export const MenuChoice = lazy(() => load().then((module) => ({ default: module.Choice })));
export const MenuLabel = lazy(() => load().then((module) => ({ default: module.Label })));

/**
 * A list of actions behind one control. What the list is made of is loaded when the pointer or the focus comes near: a page may
 * hold hundreds of these controls, and most are never opened.
 */
export function DropdownMenu({ trigger, align = 'end', children }: { trigger: ReactNode; align?: 'start' | 'end'; children: ReactNode }) {
  const control = useRef<HTMLButtonElement>(null);
  const id = useId();
  const [open, setOpen] = useState(false);
  const [used, setUsed] = useState(false);

  function change(next: boolean) {
    if (next) setUsed(true);
    setOpen(next);
  }

  return (
    <span className="relative inline-flex">
      <Slot
        ref={control}
        id={id}
        aria-haspopup="menu"
        aria-expanded={open}
        data-state={open ? 'open' : 'closed'}
        onClick={() => change(!open)}
        onKeyDown={(event) => {
          if (pressedKey(event) !== 'ArrowDown') return;
          event.preventDefault();
          change(true);
        }}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
      >
        {trigger}
      </Slot>
      {used ? (
        <Suspense fallback={null}>
          <MenuContent open={open} onOpenChange={change} control={control} controlId={id} align={align}>
            {children}
          </MenuContent>
        </Suspense>
      ) : null}
    </span>
  );
}
