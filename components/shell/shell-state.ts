/*
 * What of the frame is open. A button, a key and the palette itself all open the same things, from places that do not
 * know each other; so they share this one small state.
 *
 * The palette is loaded when it is first opened, and who opens it types on at once: what is typed until its field has the
 * focus is kept here, and the field begins with it.
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
    /** Takes a key that was pressed before there was a field for it; false for one that writes nothing. */
    typeAhead(key: string): boolean {
      if (key === 'Backspace') typed = Array.from(typed).slice(0, -1).join('');
      else if (Array.from(key).length === 1) typed += key;
      else return false;
      return true;
    },
    /** What was typed ahead, once. */
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
