import { SdkError, SdkErrorCode, SseError } from '@modelcontextprotocol/client';
import { callBroken, explainServerError, isServerUnreachable, serverLost, statusOf } from './server-errors.ts';
import type { Client } from '@modelcontextprotocol/client';

/**
 * The connection to a server at a URL, renewed in place when the server has forgotten it after a restart or a session timeout.
 *
 * What can go wrong: a request is refused because the session is unknown (404, or 400 if another request on the session is refused
 * too; it was not carried out, so it is sent again); the stream of an older server breaks during calls (they may have been carried
 * out, and say so); the notification stream is lost between calls (the server is checked again, less and less often); a new
 * connection fails (reported as lost, and the process ends).
 */
export interface ServerLink {
  readonly client: Client;
  readonly by: 'standard streams' | 'Streamable HTTP' | 'HTTP+SSE';
}

export type OpenLink = (
  timeoutMs?: number,
) => Promise<{ readonly ok: true; readonly link: ServerLink } | { readonly ok: false; readonly reason: string }>;

export interface ServerSession {
  /** The newest. */
  link(): ServerLink;
  /** Runs `work`; retries once if the server has forgotten the session. */
  use<Value>(work: (client: Client) => Promise<Value>, signal?: AbortSignal): Promise<Value>;
}

export interface ServerSessionOptions {
  readonly first: ServerLink;
  readonly open: OpenLink;
  readonly url: string;
  readonly warn: (words: string) => void;
  /** A new session of the server may offer other tools. */
  readonly onRenewed: () => void;
  readonly onEnd: (how: string) => void;
}

interface Held {
  readonly link: ServerLink;
  uses: number;
  isRetired: boolean;
  /** The server's notification stream is lost. */
  isStreamLost: boolean;
  readonly since: number;
}

const RENEW_MS = 10_000;
const CHECK_MS = 5_000;
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 60_000;
const REFUSES_SESSION: ReadonlySet<number | null> = new Set([400, 404]);

export function createServerSession({ first, open, url, warn, onRenewed, onEnd }: ServerSessionOptions): ServerSession {
  let current = hold(first);
  let renewing: Promise<Held> | null = null;
  let looks = 0;
  let timer: NodeJS.Timeout | null = null;

  function hold(link: ServerLink): Held {
    const held: Held = { link, uses: 0, isRetired: false, isStreamLost: false, since: performance.now() };
    const { client } = link;
    client.onclose = () => {
      if (!held.isRetired) onEnd('The connection to the MCP server was closed');
    };
    client.onerror = (error) => {
      if (held.isRetired) return;
      if (error instanceof SseError) return rejoin(held);
      held.isStreamLost ||= isServerUnreachable(error);
      if (held.isStreamLost || (isStreamRefusal(error) && REFUSES_SESSION.has(statusOf(error)))) checkLater(held);
    };
    void client.autoOpenedSubscription?.closed.then((cause) => {
      if (cause !== 'remote' || held.isRetired) return;
      held.isStreamLost = true;
      checkLater(held);
    });
    return held;
  }

  /** Running requests of the old session may finish; on a broken stream they cannot. */
  const retire = (held: Held, isBroken: boolean): void => {
    held.isRetired = true;
    if (isBroken || held.uses === 0) void held.link.client.close().catch(() => undefined);
  };

  const renew = (held: Held, why: string, isBroken = false): Promise<Held> => {
    if (held !== current) return Promise.resolve(current);
    renewing ??= (async () => {
      try {
        const outcome = await open(RENEW_MS);
        if (!outcome.ok) throw serverLost(outcome.reason);
        current = hold(outcome.link);
        retire(held, isBroken);
        warn(`${why}; reconnected`);
        onRenewed();
        return current;
      } finally {
        renewing = null;
      }
    })();
    return renewing;
  };

  const rejoin = (held: Held): void => {
    if (held !== current || renewing !== null) return;
    renew(held, 'The stream of the MCP server broke', true).catch((error: unknown) => {
      retire(held, true);
      onEnd(`The connection to the MCP server was closed. ${explainServerError(error, url)}`);
    });
  };

  const checkLater = (held: Held): void => {
    if (held !== current || timer !== null) return;
    if (performance.now() - held.since > LONGEST_LOOK_MS) looks = 0;
    timer = setTimeout(() => void look(held), Math.min(LONGEST_LOOK_MS, FIRST_LOOK_MS * 2 ** looks)).unref();
    looks += 1;
  };

  const look = async (held: Held): Promise<void> => {
    timer = null;
    if (held !== current) return;
    const state = await stateOf(held.link.client);
    if (state === 'known' && !held.isStreamLost) return;
    if (state === 'away') return checkLater(held);
    const why =
      state === 'forgotten' ? 'The MCP server had forgotten the session' : 'The MCP server had ended the stream of its notifications';
    await renew(held, why).catch(() => checkLater(held));
  };

  const isForgotten = async (held: Held, error: unknown): Promise<boolean> => {
    const status = statusOf(error);
    if (!REFUSES_SESSION.has(status)) return false;
    // Another request shows whether the session or only this request is refused.
    return held !== current || status === 404 || (await stateOf(held.link.client)) === 'forgotten';
  };

  const run = async <Value>(held: Held, work: (client: Client) => Promise<Value>): Promise<Value> => {
    held.uses += 1;
    try {
      return await work(held.link.client);
    } catch (error) {
      if (held !== current && error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) throw callBroken(error);
      throw error;
    } finally {
      held.uses -= 1;
      if (held.isRetired && held.uses === 0) void held.link.client.close().catch(() => undefined);
    }
  };

  return {
    link: () => current.link,
    async use(work, signal) {
      const held = (await renewing?.catch(() => null)) ?? current;
      try {
        return await run(held, work);
      } catch (error) {
        if (!(await isForgotten(held, error))) throw error;
        const next = await renew(held, `The MCP server had forgotten the session (${explainServerError(error, url)})`);
        signal?.throwIfAborted();
        return run(next, work);
      }
    },
  };
}

/** Sends a cheap request without effects. */
async function stateOf(client: Client): Promise<'known' | 'forgotten' | 'away'> {
  try {
    await client.request({ method: 'tools/list', params: {} }, { timeout: CHECK_MS });
    return 'known';
  } catch (error) {
    if (REFUSES_SESSION.has(statusOf(error))) return 'forgotten';
    return isServerUnreachable(error) ? 'away' : 'known';
  }
}

function isStreamRefusal(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ClientHttpFailedToOpenStream;
}
