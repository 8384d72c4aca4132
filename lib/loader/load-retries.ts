import { isExhausted } from '#lib/contract/exhaustion.ts';
import type { Failure } from '#lib/contract/failure.ts';
import type { Slot } from './extension-slot.ts';

/**
 * Retries loads automatically, with growing intervals, when nothing in the folder changes before they can succeed: of an
 * unreachable MCP server, and of extensions for which the system had no processes, file descriptors, memory or processor time. Each
 * has its own timer.
 */
export interface LoadRetries {
  /** Called when a load has ended or a server stopped. */
  look(): void;
  close(): void;
}

interface Retried extends Pick<Slot, 'id' | 'kind' | 'disabled' | 'isExcluded'> {
  readonly loading: unknown;
  readonly breakdown: Pick<Failure, 'code'> | null;
  readonly newest: { readonly failure: Pick<Failure, 'code' | 'message' | 'output'> | null } | null;
}

export interface LoadRetryOptions {
  readonly state: { readonly slots: ReadonlyMap<string, Retried> };
  readonly retry: (id: string) => void;
  readonly random: () => number;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const JITTER = 0.2;

export function createLoadRetries({ state, retry, random }: LoadRetryOptions): LoadRetries {
  const waiting = new Map<string, { readonly timer: NodeJS.Timeout | null; readonly tries: number }>();

  const wait = (id: string): void => {
    const known = waiting.get(id);
    if (known !== undefined && known.timer !== null) return;
    const tries = known?.tries ?? 0;
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 10)) * (1 - JITTER * random());
    const timer = setTimeout(() => {
      waiting.set(id, { timer: null, tries: tries + 1 });
      retry(id);
    }, ms).unref();
    waiting.set(id, { timer, tries });
  };

  const forget = (id: string): void => {
    clearTimeout(waiting.get(id)?.timer ?? undefined);
    waiting.delete(id);
  };

  return {
    look() {
      for (const slot of state.slots.values()) {
        if (slot.loading !== null) continue;
        if (mayLoadLater(slot)) wait(slot.id);
        else if (waiting.has(slot.id)) forget(slot.id);
      }
      for (const id of waiting.keys()) if (!state.slots.has(id)) forget(id);
    },
    close() {
      for (const id of waiting.keys()) forget(id);
    },
  };
}

function mayLoadLater(slot: Retried): boolean {
  if (slot.disabled || slot.isExcluded) return false;
  const failure = slot.newest?.failure ?? null;
  if (failure !== null && (isExhausted(failure) || failure.code === 'start_timeout' || isKilled(failure))) return true;
  if (slot.kind !== 'mcp') return false;
  return slot.breakdown?.code === 'crash_loop' || slot.newest?.failure?.code === 'mcp_error';
}

/** By the system, which was short of memory, or by a person: before the extension was imported, so that is not the cause. */
function isKilled({ code, message }: Pick<Failure, 'code' | 'message'>): boolean {
  return code === 'spawn_failed' && message.includes('was killed by SIGKILL');
}
