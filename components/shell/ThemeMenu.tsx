'use client';

import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { DropdownMenu, MenuChoice, MenuLabel } from '#components/ui/DropdownMenu.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { applyTheme, isTheme } from './theme.ts';
import type { Theme } from './theme.ts';

const OPTIONS = [
  { value: 'system', label: 'Like the system', icon: <Monitor aria-hidden /> },
  { value: 'light', label: 'Light', icon: <Sun aria-hidden /> },
  { value: 'dark', label: 'Dark', icon: <Moon aria-hidden /> },
];

/** Light, dark, or like the system. */
export function ThemeMenu({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial);
  const Icon = theme === 'light' ? Sun : theme === 'dark' ? Moon : Monitor;
  return (
    <DropdownMenu
      trigger={
        <IconButton label="Change the look">
          <Icon aria-hidden />
        </IconButton>
      }
    >
      <MenuLabel>Look</MenuLabel>
      <MenuChoice
        label="Look"
        value={theme}
        options={OPTIONS}
        onChange={(value) => {
          if (!isTheme(value)) return;
          setTheme(value);
          applyTheme(value);
        }}
      />
    </DropdownMenu>
  );
}
