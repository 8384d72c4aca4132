import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that assigns connections to its targets in turn, and can fail. */
export interface FaultProxy {
  readonly port: number;
  /** Loopback ports. Open connections keep their target. */
  setTargets(ports: readonly number[]): void;
  /** Resets all connections, and refuses new ones. */
  cut(): void;
  /** Forwards nothing in either direction, but accepts connections. */
  hold(): void;
  /** Ends all faults. */
  resume(): void;
  close(): Promise<void>;
}

export async function startFaultProxy(targets: readonly number[]): Promise<FaultProxy> {
  let ports = targets;
  let turn = 0;
  let isCut = false;
  let isHeld = false;
  const sockets = new Set<Socket>();

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  /** Connects to the next target that accepts. */
  function pass(client: Socket, triesLeft: number): void {
    const port = ports[turn % Math.max(1, ports.length)];
    turn += 1;
    if (port === undefined || client.destroyed) return void client.destroy();
    const server = connect(port, '127.0.0.1');
    const retry = (): void => (triesLeft > 0 ? pass(client, triesLeft - 1) : void client.destroy());
    server.once('error', retry);
    server.once('connect', () => {
      server.off('error', retry);
      track(server);
      server.on('close', () => client.destroy());
      client.on('close', () => server.destroy());
      client.pipe(server);
      server.pipe(client);
      if (isHeld) for (const socket of [client, server]) socket.pause();
    });
  }

  const server = createServer({ pauseOnConnect: true }, (client) => {
    if (isCut) return void client.resetAndDestroy();
    track(client);
    pass(client, ports.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');

  return {
    port: address.port,
    setTargets: (next) => void (ports = next),
    cut() {
      isCut = true;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    hold() {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isCut = false;
      isHeld = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
