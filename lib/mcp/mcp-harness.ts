import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { HostConfig } from '#lib/host/config.ts';
import { type LivingHost, startHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import { LATEST_LEGACY_VERSION, META, MODERN_VERSION } from './protocol.ts';

/** A real host with its endpoint behind the real server, on a free port. */
export interface ServedEndpoint {
  readonly living: LivingHost;
  readonly url: string;
  /** Sends a message of the stateless protocol with its metadata. */
  modern(method: string, params?: Record<string, unknown>, more?: ModernOptions): Promise<Response>;
  /** Sends a message of the 2025 protocols. */
  legacy(method: string, params?: Record<string, unknown>, more?: LegacyOptions): Promise<Response>;
  send(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The id of a new session. */
  openSession(name?: string, version?: string): Promise<string>;
  close(): Promise<void>;
}

interface ModernOptions {
  readonly id?: string | number;
  readonly meta?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

interface LegacyOptions {
  readonly id?: string | number | null;
  readonly session?: string;
  readonly signal?: AbortSignal;
}

const BOTH = 'application/json, text/event-stream';

export async function serveEndpoint(files: Readonly<Record<string, string>>, change: Partial<HostConfig> = {}): Promise<ServedEndpoint> {
  const living = await startHost(files, change);
  const served = await serveHost(living.host);
  const url = `${served.url}/mcp`;

  const send = (body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { accept: BOTH, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });

  return {
    living,
    url,
    send,
    modern(method, params = {}, { id = 1, meta = {}, headers = {}, signal } = {}) {
      const _meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {}, ...meta };
      const named = params['name'] ?? params['uri'];
      return send(
        { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
        {
          'mcp-protocol-version': MODERN_VERSION,
          'mcp-method': method,
          ...(typeof named === 'string' ? { 'mcp-name': named } : {}),
          ...headers,
        },
        signal,
      );
    },
    legacy(method, params = {}, { id = 1, session, signal } = {}) {
      const message = { jsonrpc: '2.0', method, params };
      return send(id === null ? message : { ...message, id }, session === undefined ? {} : { 'mcp-session-id': session }, signal);
    },
    async openSession(name = 'tests', version = LATEST_LEGACY_VERSION) {
      const params = { protocolVersion: version, capabilities: {}, clientInfo: { name, version: '1' } };
      const answer = await send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
      await answer.arrayBuffer();
      return answer.headers.get('mcp-session-id') ?? '';
    },
    async close() {
      await served.close();
      await living.remove();
    },
  };
}

const fixture = (name: string): string => readFileSync(path.join(import.meta.dirname, 'fixtures', name), 'utf8');

/** One tool per situation that an agent may meet. */
export const AGENT_FILES: Readonly<Record<string, string>> = { 'agent/extension.ts': fixture('agent-tools.ts') };

/** Tools and resources for the official conformance suite, and an extension that one of the tools changes. */
export const CONFORMANCE_FILES: Readonly<Record<string, string>> = {
  'conformance/extension.ts': fixture('conformance/extension.ts'),
  'resources/mcp.json': JSON.stringify({
    command: 'node',
    args: [path.join(import.meta.dirname, 'fixtures', 'conformance', 'server.mjs')],
  }),
  'changing/extension.ts':
    "export const TOOL = { label: 'Test', name: 'changing', description: 'Never changed.', parameters: { type: 'object' }, execute: () => 0 };\n",
};

/** Message of a response, as JSON or event stream. */
export async function messageOf(answer: Response): Promise<unknown> {
  const messages = await messagesOf(answer);
  return messages.at(-1);
}

/** All messages of a response, to its end. */
export async function messagesOf(answer: Response): Promise<unknown[]> {
  const text = await answer.text();
  if (!(answer.headers.get('content-type') ?? '').includes('text/event-stream')) return text === '' ? [] : [JSON.parse(text)];
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']): unknown => JSON.parse(data));
}

/** Messages of an open stream, one by one. */
export async function* readMessages(answer: Response): AsyncGenerator<unknown> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    const blocks = (rest + part.value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.+)$/m.exec(block)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}
