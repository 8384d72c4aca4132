import type { SessionView } from '#lib/contract/account.ts';
import { API } from '#lib/contract/paths.ts';
import { request } from './request.ts';
import { sessionWatch } from './session-watch.ts';
import { SHAPES } from './shapes.ts';

/** Reads the session after a rejection, and when the page is visible again: the person may have signed in elsewhere. */
export function watchSession(said: (view: SessionView) => void): () => void {
  let asking = false;
  async function ask() {
    if (asking) return;
    asking = true;
    try {
      said(await request(API.session, SHAPES.session));
    } catch {
      // The connection state is shown elsewhere; the next rejection reads again.
    } finally {
      asking = false;
    }
  }
  const onAsk = () => void ask();
  const end = sessionWatch.subscribe(onAsk);
  window.addEventListener('focus', onAsk);
  return () => {
    end();
    window.removeEventListener('focus', onAsk);
  };
}
