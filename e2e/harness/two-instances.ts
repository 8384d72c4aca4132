import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { startPostgres } from '#lib/testing/postgres.ts';
import { startTestServer } from './test-server.ts';
import type { TestServer, TestServerOptions } from './test-server.ts';

/** Two servers on one PostgreSQL behind a proxy, as behind a load balancer without sticky sessions. */
export interface TwoInstances {
  /** Address of the proxy. */
  readonly address: string;
  readonly instances: readonly [TestServer, TestServer];
  remove(): Promise<void>;
}

export async function startTwoInstances(options: TestServerOptions): Promise<TwoInstances> {
  const postgres = await startPostgres();
  const servers: TestServer[] = [];
  try {
    const env = { ...options.env, DATABASE_URL: await postgres.createDatabase() };
    const first = await startTestServer({ ...options, env });
    servers.push(first);
    const second = await startTestServer({ ...options, env });
    servers.push(second);
    const proxy = await startProxy(servers.map(({ address }) => Number(new URL(address).port)));
    return {
      address: `http://127.0.0.1:${proxy.port}`,
      instances: [first, second],
      async remove() {
        await proxy.close();
        for (const server of servers) await server.remove();
        await postgres.close();
      },
    };
  } catch (error) {
    for (const server of servers) await server.remove();
    await postgres.close();
    throw error;
  }
}

/** Forwards each connection to the next server, and skips servers that refuse it. */
async function startProxy(ports: readonly number[]): Promise<{ readonly port: number; close(): Promise<void> }> {
  const open = new Set<Socket>();
  let next = 0;

  function track(socket: Socket): void {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  }

  function forward(client: Socket, triesLeft: number): void {
    const port = ports[next++ % ports.length];
    if (port === undefined || triesLeft === 0) return void client.destroy();
    const server = connect(port, '127.0.0.1');
    const refused = () => forward(client, triesLeft - 1);
    server.once('error', refused);
    server.once('connect', () => {
      track(server);
      server.off('error', refused);
      for (const [one, other] of [[client, server] as const, [server, client] as const]) {
        one.on('error', () => other.destroy());
        one.once('close', () => other.destroy());
        one.pipe(other);
      }
    });
  }

  const proxy = createServer((client) => {
    track(client);
    client.on('error', () => undefined);
    forward(client, ports.length);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    port: address.port,
    async close() {
      const closed = new Promise((resolve) => proxy.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
