'use client';

import { Info } from 'lucide-react';
import { IconButton } from '#components/ui/IconButton.tsx';
import { shellState } from './shell-state.ts';

/** Opens what the top bar has no room for on a narrow window. */
export function StatusButton() {
  return (
    <IconButton label="Show the state of the server" onClick={() => shellState.show('status')} className="lg:hidden">
      <Info aria-hidden />
    </IconButton>
  );
}
