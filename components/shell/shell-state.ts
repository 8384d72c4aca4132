import { useSyncExternalStore } from 'react';

/*
 * Which overlay is open, shared by buttons, shortcuts and the palette.
 *
 * The palette loads when first opened. Text typed until its field has the focus is buffered here and inserted into the field.
 */
export type Overlay = 'palette' | 'keys' | 'status' | 'connect';

function createShellState() {
  let open: Overlay | null = null;
  let typed = '';
  const listeners = new Set<() => void>();
  return {
    open: () => open,
    show(overlay: Overlay | null) {
      open = overlay;
      typed = '';
      for (const listener of listeners) listener();
    },
    /** Buffers a key pressed before the field exists; false for keys that write nothing. */
    typeAhead(key: string): boolean {
      if (key === 'Backspace') typed = Array.from(typed).slice(0, -1).join('');
      else if (Array.from(key).length === 1) typed += key;
      else return false;
      return true;
    },
    /** Returns the buffered text once. */
    takeTyped(): string {
      const text = typed;
      typed = '';
      return text;
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const shellState = createShellState();

const close = () => shellState.show(null);

export function useOverlay(overlay: Overlay): { readonly open: boolean; readonly close: () => void } {
  const open = useSyncExternalStore(
    shellState.subscribe,
    () => shellState.open() === overlay,
    () => false,
  );
  return { open, close };
}
