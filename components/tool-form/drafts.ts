/*
 * What was typed for a tool, kept until the tab is closed. Storage can be switched off or full; then a draft lasts as long
 * as the page. Secrets are never stored: a payload with one is kept without it.
 */
export interface Drafts {
  read(tool: string, kind: DraftKind): string | null;
  write(tool: string, kind: DraftKind, text: string | null): void;
}

/**
 * `payload`: the JSON text as it stands. `good`: what it was while it could last be read. `schema`: what it was typed for. `call`:
 * id of the call whose result was shown last. `runs`: ids of the
 * calls started here, newest first. `timeout`: seconds. `replay`: id of the call whose arguments are edited.
 */
export type DraftKind = 'payload' | 'good' | 'schema' | 'call' | 'runs' | 'timeout' | 'replay';

export function createDrafts(storage: () => Storage | null): Drafts {
  const memory = new Map<string, string>();
  const keyOf = (tool: string, kind: DraftKind) => `switchboard.bench.${kind}.${tool}`;
  const open = () => {
    try {
      return storage();
    } catch {
      return null;
    }
  };
  return {
    read(tool, kind) {
      const key = keyOf(tool, kind);
      return memory.get(key) ?? open()?.getItem(key) ?? null;
    },
    write(tool, kind, text) {
      const key = keyOf(tool, kind);
      try {
        if (text === null) {
          memory.delete(key);
          open()?.removeItem(key);
        } else {
          memory.set(key, text);
          open()?.setItem(key, text);
        }
      } catch {
        return;
      }
    },
  };
}

export const drafts = createDrafts(() => (typeof window === 'undefined' ? null : window.sessionStorage));
