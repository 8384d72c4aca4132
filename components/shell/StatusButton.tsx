'use client';

import { Info } from 'lucide-react';
import { IconButton } from '#components/ui/IconButton.tsx';
import { shellState } from './shell-state.ts';

/** Opens the status sheet of narrow windows. */
export function StatusButton() {
  return (
    <IconButton label="Show the state of the server" onClick={() => shellState.show('status')} className="lg:hidden">
      <Info aria-hidden />
    </IconButton>
  );
}
