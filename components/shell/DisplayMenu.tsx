'use client';

import { SlidersHorizontal } from 'lucide-react';
import { lazy } from 'react';
import { DropdownMenu } from '#components/ui/DropdownMenu.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';

const DisplayChoices = lazy(async () => ({ default: (await import('./DisplayChoices.tsx')).DisplayChoices }));

/** Theme and time zone of this browser. */
export function DisplayMenu() {
  return (
    <DropdownMenu
      trigger={
        <IconButton label="Theme and time zone">
          <SlidersHorizontal aria-hidden />
        </IconButton>
      }
    >
      <DisplayChoices />
    </DropdownMenu>
  );
}
