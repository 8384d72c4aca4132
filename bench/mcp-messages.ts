import { askUntil } from './servers.ts';
import type { BenchServer } from './servers.ts';

/** The two protocol generations: with sessions, and stateless. */
export type Generation = '2025' | '2026';

const VERSION = { '2025': '2025-11-25', '2026': '2026-07-28' } as const;
const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const ENVELOPE = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': VERSION[2026],
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};

export const HANDSHAKE_HEADERS: Readonly<Record<string, string>> = { ...ACCEPT, 'mcp-protocol-version': VERSION[2025] };

export function modernHeaders(isList: boolean): Readonly<Record<string, string>> {
  const method = isList ? { 'mcp-method': 'tools/list' } : { 'mcp-method': 'tools/call', 'mcp-name': 'add_0' };
  return { ...ACCEPT, 'mcp-protocol-version': VERSION[2026], ...method };
}

export function callBody(generation: Generation): string {
  return message(generation, 'tools/call', { name: 'add_0', arguments: { left: 40, right: 2 } });
}

export function listBody(generation: Generation): string {
  return message(generation, 'tools/list', {});
}

function message(generation: Generation, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: generation === '2026' ? { ...params, ...ENVELOPE } : params });
}

/** Header of a new session; the server may still be starting. */
export async function openSession(server: BenchServer, url: string): Promise<Record<string, string>> {
  const params = { protocolVersion: VERSION[2025], capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } };
  let id: string | null = null;
  const initialize = async (): Promise<Response> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const answer = await fetch(url, { method: 'POST', headers: ACCEPT, body });
    id = answer.headers.get('mcp-session-id');
    return answer;
  };
  await askUntil(server, initialize, async (answer) => {
    await answer.arrayBuffer();
    return answer.ok;
  });
  if (id === null) return {};
  const headers = { 'mcp-session-id': id };
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await fetch(url, { method: 'POST', headers: { ...HANDSHAKE_HEADERS, ...headers }, body });
  return headers;
}
