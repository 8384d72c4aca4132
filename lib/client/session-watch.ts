/*
 * Of a team: the session that a page was made for may be over, or be another by now. Whoever is refused for it says so here,
 * without knowing who asks the server how things stand.
 */
function createSessionWatch() {
  const listeners = new Set<() => void>();
  let isEndExpected = false;
  return {
    /** Something was refused that a session or its role stands for. */
    doubt() {
      if (isEndExpected) return;
      for (const listener of listeners) listener();
    },
    /** Whoever sits here is signing out: what is refused from now on is no news. */
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
