import { Agent, request } from 'node:http';
import type { BenchServer } from './servers.ts';

/** Calls tools over keep-alive connections, and receives events. */
export interface ApiClient {
  /** HTTP status and call record; rejects if the connection fails. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<{ readonly status: number; readonly call: CallAnswer | null }>;
  get(target: string): Promise<unknown>;
  /** Resolves once the stream is open. */
  listen(onEvent: (event: ServerEvent) => void): Promise<void>;
  close(): void;
}

export interface CallAnswer {
  readonly status: string;
  readonly revision: number | null;
  readonly result: unknown;
}

export interface ServerEvent {
  readonly type: string;
  readonly extension: string | null;
  readonly revision: number | null;
}

export function createApiClient(server: BenchServer): ApiClient {
  const agent = new Agent({ keepAlive: true });
  const streams = new Set<() => void>();

  function ask(method: string, path: string, body: string | null): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const headers = body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const asked = request({ host: '127.0.0.1', port: server.port, method, path, agent, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }));
        answer.on('error', reject);
      });
      asked.on('error', reject);
      asked.end(body ?? undefined);
    });
  }

  return {
    async call(tool, args) {
      const { status, text } = await ask('POST', `/api/v1/tools/${tool}/call`, JSON.stringify({ arguments: args }));
      return { status, call: status === 200 ? JSON.parse(text) : null };
    },
    async get(target) {
      const { status, text } = await ask('GET', target, null);
      if (status !== 200) throw new Error(`GET ${target} answered ${status}: ${text.slice(0, 500)}`);
      return JSON.parse(text);
    },
    async listen(onEvent) {
      const end = await followEvents(server.port, (text) => {
        const type = /^event: (.+)$/m.exec(text)?.[1];
        const data = /^data: (.+)$/m.exec(text)?.[1];
        if (type === undefined || data === undefined) return;
        const { extension = null, revision = null } = JSON.parse(data);
        onEvent({ type, extension, revision });
      });
      streams.add(end);
    },
    close() {
      for (const end of streams) end();
      agent.destroy();
    },
  };
}

/** Calls back with the text of each event. Resolves when the stream is open, with a function that ends it. */
export function followEvents(port: number, onEvent: (text: string) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: '/api/v1/events', agent: false }, (answer) => {
      let rest = '';
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => {
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) onEvent(block);
      });
      answer.on('error', () => undefined);
      resolve(() => asked.destroy());
    });
    asked.on('error', reject);
    asked.end();
  });
}
