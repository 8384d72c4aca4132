import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * A message server for the channels of tests, with one client at a time. Requesting the next message confirms the previous one;
 * unconfirmed messages are delivered again to the next client.
 */
export interface MessageBus {
  readonly url: string;
  push(message: {
    readonly text: string;
    readonly sender?: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
    readonly idempotency_key?: string;
  }): void;
  /** Messages from the channel, in order. */
  readonly sent: SentOnBus[];
  connects(): number;
  /** Number of requests for a message without an answer. */
  waiting(): number;
  /** Current faults: it refuses connections, inbound messages or outbound messages. */
  readonly fails: { connect: boolean; next: boolean; send: boolean };
  close(): Promise<void>;
}

export interface SentOnBus {
  readonly text: string;
  readonly sender: string;
  readonly channel: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly idempotency_key: string;
}

export async function startMessageBus(): Promise<MessageBus> {
  const waiting: object[] = [];
  const asking = new Set<ServerResponse>();
  let given: object | null = null;
  const sent: SentOnBus[] = [];
  const fails = { connect: false, next: false, send: false };
  let connects = 0;

  function give(): void {
    for (const response of asking) {
      const message = waiting.shift();
      if (message === undefined) return;
      asking.delete(response);
      given = message;
      response.end(JSON.stringify(message));
    }
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/connect') {
      connects += 1;
      for (const other of asking) other.writeHead(409).end();
      asking.clear();
      if (given !== null) waiting.unshift(given);
      given = null;
      response.writeHead(fails.connect ? 503 : 200).end();
    } else if (request.url === '/next') {
      given = null;
      if (fails.next) response.writeHead(503).end();
      else {
        asking.add(response);
        response.on('close', () => asking.delete(response));
        give();
      }
    } else {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (!fails.send) sent.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      response.writeHead(fails.send ? 503 : 200).end();
    }
  }

  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the bus has no port');

  return {
    url: `http://127.0.0.1:${address.port}`,
    push({ sender = 'Ada', metadata = {}, ...message }) {
      waiting.push({ ...message, sender, channel: 'bus', metadata });
      give();
    },
    sent,
    connects: () => connects,
    waiting: () => waiting.length,
    fails,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Source of a channel in TypeScript that connects to it. */
export function busChannel(url: string, about = 'Talks to the bus.'): string {
  return `/** ${about} */
export async function connect() {
  const answer = await fetch('${url}/connect', { method: 'POST' });
  if (!answer.ok) throw new Error('the bus would not let me in: ' + answer.status);
}
export async function recv() {
  const answer = await fetch('${url}/next');
  if (!answer.ok) throw new Error('the bus gives nothing: ' + answer.status);
  return answer.json();
}
export async function send(message) {
  const answer = await fetch('${url}/send', { method: 'POST', body: JSON.stringify(message) });
  if (!answer.ok) throw new Error('the bus takes nothing: ' + answer.status);
}
`;
}

/** The same in Python. */
export function busChannelInPython(url: string, about = 'Talks to the bus.'): string {
  return `"""${about}"""
import json
import urllib.request


def ask(path, body=None):
    with urllib.request.urlopen(urllib.request.Request("${url}" + path, data=body)) as answer:
        return answer.read()


def connect():
    ask("/connect", b"")


def recv():
    return json.loads(ask("/next"))


def send(message):
    ask("/send", json.dumps(dict(message)).encode())
`;
}
