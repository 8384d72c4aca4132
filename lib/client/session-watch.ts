/*
 * Team mode: the session of a page may be over or replaced. Code whose request was rejected reports it here, and
 * session-end.ts checks the session.
 */
function createSessionWatch() {
  const listeners = new Set<() => void>();
  let isEndExpected = false;
  return {
    /** A request was rejected for its session or role. */
    reportRejection() {
      if (isEndExpected) return;
      for (const listener of listeners) listener();
    },
    /** The person is signing out, so further rejections are expected. */
    expectEnd(isExpected: boolean) {
      isEndExpected = isExpected;
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const sessionWatch = createSessionWatch();
