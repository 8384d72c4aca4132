import type { McpSubscription } from '@modelcontextprotocol/client';
import type { ServerConnection } from './server-connection.ts';

/**
 * Subscriptions to resources of a server: `resources/subscribe` in the older protocol generation, one `subscriptions/listen` stream
 * for all of them in the stateless one. What can go wrong: the server forgot the session (`renew` subscribes again); the stream ends
 * (it is opened again, less and less often).
 */
export interface ServerSubscriptions {
  /** Rejects if the server refuses. */
  add(uri: string): Promise<void>;
  delete(uri: string): Promise<void>;
  /** After a new connection. */
  renew(): void;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

export function createServerSubscriptions(
  connection: Pick<ServerConnection, 'client' | 'use'>,
  warn: (words: string) => void,
): ServerSubscriptions {
  const addresses = new Set<string>();
  let stream: McpSubscription | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  let retryMs = FIRST_RETRY_MS;

  const isStateless = (): boolean => connection.client.getProtocolEra() === 'modern';

  /** The new stream is opened before the old one is closed. */
  const listen = async (): Promise<void> => {
    const old = stream;
    stream = null;
    if (addresses.size > 0) {
      const opened = await connection.use((client) => client.listen({ resourceSubscriptions: [...addresses] }));
      stream = opened;
      retryMs = FIRST_RETRY_MS;
      void opened.closed.then((cause) => {
        if (cause !== 'local' && stream === opened) listenLater();
      });
    }
    await old?.close();
  };

  const listenLater = (): void => {
    stream = null;
    setTimeout(() => void inOrder(listen).catch(listenLater), retryMs).unref();
    retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
  };

  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  };

  const change = (uri: string, method: 'subscribeResource' | 'unsubscribeResource'): Promise<void> =>
    inOrder(async () => {
      if (isStateless()) return listen();
      await connection.use((client) => client[method]({ uri }));
    });

  return {
    async add(uri) {
      if (addresses.has(uri)) return;
      addresses.add(uri);
      try {
        await change(uri, 'subscribeResource');
      } catch (error) {
        addresses.delete(uri);
        throw error;
      }
    },
    async delete(uri) {
      if (addresses.delete(uri)) await change(uri, 'unsubscribeResource');
    },
    renew() {
      if (addresses.size === 0) return;
      const again = isStateless()
        ? inOrder(listen)
        : Promise.all([...addresses].map((uri) => change(uri, 'subscribeResource'))).then(() => undefined);
      again.catch((error: unknown) => warn(`Its resources could not be subscribed to again: ${String(error)}`));
    },
  };
}
