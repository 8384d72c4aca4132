'use client';

import { Search } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { Kbd } from '#components/ui/Kbd.tsx';
import { shellState } from './shell-state.ts';

export function PaletteButton() {
  return (
    <Button
      variant="secondary"
      icon={<Search aria-hidden className="text-muted" />}
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => shellState.show('palette')}
      className="font-normal text-muted pointer-coarse:min-w-10 max-xl:px-2 xl:w-52 xl:justify-start"
    >
      <span className="flex-1 text-left max-xl:sr-only">
        Find…<span className="sr-only"> a tool, an extension, a page or an action</span>
      </span>
      <span aria-hidden className="max-xl:hidden">
        <Kbd>Ctrl K</Kbd>
      </span>
    </Button>
  );
}
