import path from 'node:path';
import { startTestServer } from './test-server.ts';
import type { TestServer, TestServerOptions } from './test-server.ts';

/** Servers of a worker. */
export interface ServerPool {
  /** Returns the server of `owner`, or stops servers of other files and starts it. Servers shared under a name keep running. */
  serverFor(owner: string, options: TestServerOptions): Promise<TestServer>;
  close(): Promise<void>;
}

/**
 * A worker runs file after file with one browser, since starting a worker and a browser takes as long as a short test file. Files
 * share nothing else, unless they set the same `serverOwner`. Errors of a server are reported with its owner.
 */
export function createServerPool(): ServerPool {
  const servers = new Map<string, TestServer>();

  async function stop(owners: readonly string[]): Promise<void> {
    const ends = await Promise.allSettled(
      owners.map(async (owner) => {
        const server = servers.get(owner);
        servers.delete(owner);
        await server?.remove().catch((cause: unknown) => {
          throw new Error(`The server of ${owner} did not stop cleanly.`, { cause });
        });
      }),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  return {
    async serverFor(owner, options) {
      const running = servers.get(owner);
      if (running !== undefined) return running;
      await stop([...servers.keys()].filter((other) => path.isAbsolute(other)));
      const server = await startTestServer(options);
      servers.set(owner, server);
      return server;
    },
    close: () => stop([...servers.keys()]),
  };
}
