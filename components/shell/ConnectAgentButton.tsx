'use client';

import { Plug } from 'lucide-react';
import { IconButton } from '#components/ui/IconButton.tsx';
import { shellState } from './shell-state.ts';

export function ConnectAgentButton() {
  return (
    <IconButton label="Connect an agent" onClick={() => shellState.show('connect')} className="max-lg:hidden">
      <Plug aria-hidden />
    </IconButton>
  );
}
