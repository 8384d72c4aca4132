import type { SessionView } from '#lib/contract/account.ts';
import { API, PAGES } from '#lib/contract/paths.ts';
import { request } from './request.ts';
import { sessionWatch } from './session-watch.ts';
import { SHAPES } from './shapes.ts';
import { useLiveConnection } from './live-context.ts';

/** Reads the session after a rejection, and when the page is visible again: the person may have signed in elsewhere. */
export function watchSession(onSession: (view: SessionView) => void): () => void {
  let isReading = false;
  async function read() {
    if (isReading) return;
    isReading = true;
    try {
      onSession(await request(API.session, SHAPES.session));
    } catch {
      // The connection state is shown elsewhere; the next rejection reads again.
    } finally {
      isReading = false;
    }
  }
  const onTrigger = () => void read();
  const end = sessionWatch.subscribe(onTrigger);
  window.addEventListener('focus', onTrigger);
  return () => {
    end();
    window.removeEventListener('focus', onTrigger);
  };
}

/**
 * Ends the current session or all sessions, and opens the sign-in page. The closed event stream is expected, so no notice
 * appears.
 */
export function useSignOut(): (where: 'here' | 'everywhere') => Promise<void> {
  const live = useLiveConnection();
  return async (where) => {
    sessionWatch.expectEnd(true);
    live.close();
    try {
      await request(where === 'here' ? API.session : API.sessions, SHAPES.sessionsEnded, { method: 'DELETE' });
    } catch (error) {
      sessionWatch.expectEnd(false);
      live.start();
      throw error;
    }
    window.location.assign(PAGES.signIn);
  };
}
