import { useSyncExternalStore } from 'react';
import { shellState } from './shell-state.ts';
import type { Overlay } from './shell-state.ts';

export function useOverlay(overlay: Overlay): readonly [open: boolean, setOpen: (open: boolean) => void] {
  const open = useSyncExternalStore(
    shellState.subscribe,
    () => shellState.open() === overlay,
    () => false,
  );
  return [open, (next) => shellState.show(next ? overlay : null)];
}
