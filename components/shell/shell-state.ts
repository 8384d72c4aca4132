/*
 * What of the frame is open. A button, a key and the palette itself all open the same things, from places that do not
 * know each other; so they share this one small state.
 */
export type Overlay = 'palette' | 'keys' | 'status' | 'connect';

function createShellState() {
  let open: Overlay | null = null;
  const listeners = new Set<() => void>();
  return {
    open: () => open,
    show(overlay: Overlay | null) {
      open = overlay;
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const shellState = createShellState();
