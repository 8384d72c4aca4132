import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { LiveListener } from './live-connection.ts';
import { keysOf } from './live-keys.ts';
import { keys } from './queries.ts';

/*
 * Turns events into refetches. A burst (a call storm, a 200-file checkout) must neither refetch once per event nor cancel the
 * running refetch repeatedly: keys are collected briefly, and a key whose query is running waits for its end. Lists of calls,
 * which every call invalidates, wait longer. A hidden page reads nothing until it is visible.
 */
export interface LiveRefetch extends LiveListener {
  close(): void;
}

const SOON_MS = 30;
const LATER_MS = 400;

export function createLiveRefetch(client: QueryClient): LiveRefetch {
  const waiting = new Map<string, QueryKey>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = Number.POSITIVE_INFINITY;

  function schedule(delay: number) {
    const at = Date.now() + delay;
    if (at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(flush, delay);
  }

  function flush() {
    due = Number.POSITIVE_INFINITY;
    if (document.hidden) return;
    for (const [name, queryKey] of waiting) {
      if (client.isFetching({ queryKey }) > 0) continue;
      waiting.delete(name);
      void client.invalidateQueries({ queryKey });
    }
    if (waiting.size > 0) schedule(LATER_MS);
  }

  function flushWhenSeen() {
    if (!document.hidden && waiting.size > 0) schedule(0);
  }

  document.addEventListener('visibilitychange', flushWhenSeen);

  function add(queryKey: QueryKey) {
    waiting.set(JSON.stringify(queryKey), queryKey);
    schedule(queryKey[0] === keys.callLists[0] ? LATER_MS : SOON_MS);
  }

  return {
    opened: () => add([]),
    event(type, data) {
      for (const queryKey of keysOf(type, data)) add(queryKey);
    },
    close() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', flushWhenSeen);
    },
  };
}
