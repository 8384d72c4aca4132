import { API, PAGES } from '#lib/contract/paths.ts';
import { useLiveConnection } from './live-context.ts';
import { request } from './request.ts';
import { sessionWatch } from './session-watch.ts';
import { SHAPES } from './shapes.ts';

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
