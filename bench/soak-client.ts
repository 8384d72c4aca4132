import { Agent, request } from 'node:http';
import type { BenchServer } from './servers.ts';

/** Client of a server that may be killed at any time; a missing answer is a valid result. */
export interface SoakClient {
  /** Null: the connection broke before the complete answer. */
  ask(method: string, target: string, body?: unknown): Promise<SoakAnswer | null>;
  /** Reads an event stream for a time; resolves with the number of events and the last id. */
  stream(forMs: number, after: string | null): Promise<{ readonly events: number; readonly lastId: string | null }>;
  close(): void;
}

export interface SoakAnswer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

export function createSoakClient(server: BenchServer): SoakClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return {
    ask(method, target, body) {
      const text = body === undefined ? null : JSON.stringify(body);
      const headers = text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      return new Promise((resolve) => {
        const asked = request({ host: '127.0.0.1', port: server.port, method, path: target, agent, headers }, (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, json: parseObject(Buffer.concat(parts).toString('utf8')) }));
          answer.on('error', () => resolve(null));
          answer.on('close', () => resolve(null));
        });
        asked.on('error', () => resolve(null));
        asked.end(text ?? undefined);
      });
    },
    stream(forMs, after) {
      const headers = after === null ? {} : { 'last-event-id': after };
      return new Promise((resolve) => {
        let events = 0;
        let lastId = after;
        const done = (): void => {
          clearTimeout(timer);
          resolve({ events, lastId });
        };
        const asked = request({ host: '127.0.0.1', port: server.port, path: '/api/v1/events', agent: false, headers }, (answer) => {
          answer.setEncoding('utf8');
          answer.on('data', (text: string) => {
            for (const [, id] of text.matchAll(/^id: (\d+)$/gm)) {
              events += 1;
              lastId = id ?? lastId;
            }
          });
          answer.on('error', () => undefined);
          answer.on('close', done);
        });
        const timer = setTimeout(() => asked.destroy(), forMs);
        asked.on('error', done);
        asked.on('close', done);
        asked.end();
      });
    },
    close: () => agent.destroy(),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
