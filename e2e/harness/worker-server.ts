import path from 'node:path';
import { startTestServer } from './test-server.ts';
import type { TestServer, TestServerOptions } from './test-server.ts';

/** The worker's servers. */
export interface ServerPool {
  /** The server of `owner`; starts it after stopping that of another file. Those with a name stay, for the next file that shares them. */
  serverFor(owner: string, options: TestServerOptions): Promise<TestServer>;
  end(): Promise<void>;
}

/**
 * A worker continues from file to file with one browser: starting both takes as long as a short test file. Files share nothing
 * else, unless they name the owner of their server. Errors of a server are reported with its owner.
 */
export function createServerPool(): ServerPool {
  const kept = new Map<string, TestServer>();

  async function stop(owners: readonly string[]): Promise<void> {
    const ends = await Promise.allSettled(
      owners.map(async (owner) => {
        const server = kept.get(owner);
        kept.delete(owner);
        await server?.remove().catch((cause: unknown) => {
          throw new Error(`The server of ${owner} ended badly.`, { cause });
        });
      }),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  return {
    async serverFor(owner, options) {
      const known = kept.get(owner);
      if (known !== undefined) return known;
      await stop([...kept.keys()].filter((other) => path.isAbsolute(other)));
      const server = await startTestServer(options);
      kept.set(owner, server);
      return server;
    },
    end: () => stop([...kept.keys()]),
  };
}
