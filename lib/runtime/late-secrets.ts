import type { CallHooks } from './runtime.ts';

/**
 * Hides the secrets of calls in what is said when nobody waits for them any more: by a call that was given up and goes on in its
 * process, or by what a call left behind there, such as a timer, shortly after its end. What can go wrong: there are very many
 * such calls, or their secrets are large; how many are held, and for how long, is bounded.
 */
export interface LateSecrets {
  /** Nobody waits for it, and it goes on. */
  abandon(id: number, hooks: CallHooks): void;
  /** It is over; hooks are null where they are known from before. */
  end(id: number, hooks: CallHooks | null): void;
  /** What one of these calls said. */
  clean(id: number, text: string): string;
  /** What any of them may have left behind. */
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
