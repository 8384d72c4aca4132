'use client';

import { X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { StateIcon } from './StateBadge.tsx';
import type { StateName } from './states.ts';

/*
 * Own code rather than a toast library: those put a <style> element into the page, and the pages are to stand under a
 * policy that refuses it. A toast only repeats what also stands in a lasting place, so losing one loses nothing.
 */
interface ToastMessage {
  readonly id: number;
  readonly state: StateName;
  readonly text: string;
}

const LASTS_MS = 6_000;
const MOST = 3;
const NONE: readonly ToastMessage[] = [];

function createToasts() {
  let shown = NONE;
  let lastId = 0;
  const listeners = new Set<() => void>();

  function set(next: readonly ToastMessage[]) {
    shown = next;
    for (const listener of listeners) listener();
  }

  return {
    show(state: StateName, text: string) {
      lastId += 1;
      set([...shown, { id: lastId, state, text }].slice(-MOST));
    },
    dismiss(id: number) {
      set(shown.filter((toast) => toast.id !== id));
    },
    current: () => shown,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const toasts = createToasts();

/** Says briefly that something happened; it must also stand somewhere on the page. */
export function toast(state: StateName, text: string): void {
  toasts.show(state, text);
}

/** Once, at the end of the app. */
export function Toaster() {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.current, () => NONE);
  return (
    <ol
      aria-live="polite"
      aria-label="Messages"
      className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 max-md:right-1/2 max-md:bottom-20 max-md:translate-x-1/2"
    >
      {shown.map((each) => (
        <ToastItem key={each.id} toast={each} />
      ))}
    </ol>
  );
}

function ToastItem({ toast: { id, state, text } }: { toast: ToastMessage }) {
  useEffect(() => {
    const timer = setTimeout(() => toasts.dismiss(id), LASTS_MS);
    return () => clearTimeout(timer);
  }, [id]);

  return (
    <li className="pointer-events-auto flex animate-rise-in items-start gap-2 rounded border bg-raised py-2 pr-1.5 pl-3 shadow-overlay">
      <StateIcon state={state} className="mt-1 size-3.5" />
      <span className="foreign line-clamp-4 min-w-0 flex-1 pt-0.5">{text}</span>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => toasts.dismiss(id)}
        className="inline-flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-fg"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </li>
  );
}
