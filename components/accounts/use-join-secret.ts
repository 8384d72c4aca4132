'use client';

import { useEffect, useState } from 'react';

/**
 * The secret of a link to join. It stands behind the `#`, which no browser sends, and goes from the address bar as soon as it is
 * read, so that nobody finds it in the history or sees it over a shoulder. Undefined until it is looked for; null for none.
 */
export function useJoinSecret(): string | null | undefined {
  const [secret, setSecret] = useState<string | null>();

  useEffect(() => {
    function read() {
      const given = window.location.hash.slice(1);
      if (given !== '') window.history.replaceState(window.history.state, '', window.location.pathname);
      setSecret((before) => (given === '' ? (before ?? null) : given));
    }
    read();
    // A link that is opened where this page is open already changes nothing but what stands behind the `#`.
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);

  return secret;
}
