import type { CallHooks } from './runtime.ts';

/**
 * Hides the secrets of calls that no caller waits for: an abandoned call that continues, or output shortly after a call ended, such
 * as from a timer. What can go wrong: there are very many such calls, or their secrets are large. Their number and time are
 * bounded.
 */
interface LateSecrets {
  /** It continues without a caller. */
  abandon(id: number, hooks: CallHooks): void;
  /** It has ended; hooks are null if they are already known. */
  end(id: number, hooks: CallHooks | null): void;
  /** Output of one of these calls. */
  clean(id: number, text: string): string;
  /** Output of any of them. */
  cleanAny(text: string): string;
  clear(): void;
}

const ABANDONED_MOST = 1_000;
const ENDED_MOST = 50;
const LATELY_MS = 30_000;

type Clean = (text: string) => string;

/** @param now in milliseconds */
export function createLateSecrets(now: () => number): LateSecrets {
  const abandoned = new Map<number, Clean>();
  const ended = new Map<number, { readonly clean: Clean; readonly at: number }>();

  const forget = (): void => {
    const since = now() - LATELY_MS;
    for (const [id, { at }] of ended) if (at < since) ended.delete(id);
  };

  return {
    abandon(id, { withoutSecrets }) {
      if (withoutSecrets === undefined) return;
      dropOldest(abandoned, ABANDONED_MOST);
      abandoned.set(id, withoutSecrets);
    },
    end(id, hooks) {
      const clean = hooks === null ? abandoned.get(id) : hooks.withoutSecrets;
      abandoned.delete(id);
      if (clean === undefined) return;
      forget();
      dropOldest(ended, ENDED_MOST);
      ended.set(id, { clean, at: now() });
    },
    clean: (id, text) => (abandoned.get(id) ?? ended.get(id)?.clean)?.(text) ?? text,
    cleanAny(text) {
      forget();
      const cleaned = [...abandoned.values()].reduce((less, clean) => clean(less), text);
      return [...ended.values()].reduce((less, { clean }) => clean(less), cleaned);
    },
    clear() {
      abandoned.clear();
      ended.clear();
    },
  };
}

function dropOldest(kept: Map<number, unknown>, most: number): void {
  const [oldest] = kept.keys();
  if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
}
