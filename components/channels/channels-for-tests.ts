import { vi } from 'vitest';
import type { Channel, Message } from '#lib/contract/channel.ts';
import { API } from '#lib/contract/paths.ts';
import { extensionRecord, messageRecord } from '#lib/testing/api-records.ts';

export const clock: Channel = {
  name: 'clock',
  instance: null,
  extension: 'channels/clock',
  description: 'Says the time.',
  state: 'connected',
  reason: null,
  retry_at: null,
  queued: 0,
  failed: 0,
  dropped: 0,
  last_message_at: '2026-11-22T10:00:00.000Z',
  commands: { enabled: false, tools: [] },
};

export const clockExtension = extensionRecord('channels/clock', 'ready', {
  kind: 'channel',
  path: 'channels/clock.ts',
  name: 'clock',
  description: 'Says the time.',
  channels: ['clock'],
  process: { state: 'running', pid: 7, restarts: 0, retry_at: null, kept: null },
});

export function outbound(id: string, text: string, more: Partial<Message> = {}): Message {
  return messageRecord(id, text, { direction: 'out', sender: 'switchboard', recipient: 'ada', state: 'sent', attempts: 1, ...more });
}

export interface Answers {
  channels: Channel[];
  messages: Message[];
  readonly more: Map<string, () => Response>;
  readonly requests: { readonly what: string; readonly body: unknown }[];
}

const PAGE = 2;

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

export function problem(code: string, status: number, detail: string): Response {
  return json({ code, status, detail, title: detail }, status);
}

export function answerRequests(): Answers {
  const answers: Answers = { channels: [clock], messages: [], more: new Map(), requests: [] };

  function read(address: URL): Response | null {
    if (address.pathname === API.channels) return json({ channels: answers.channels });
    if (address.pathname === API.tools) return json({ version: 1, tools: [] });
    if (address.pathname === API.extensions)
      return json({
        version: 1,
        watch: { mode: 'native', reason: null, self_test: { result: 'running', reason: null, at: null, duration_ms: null } },
        loading: null,
        extensions: [clockExtension],
      });
    for (const channel of answers.channels) {
      if (address.pathname === API.channel(channel.name)) return json(channel);
      if (address.pathname !== API.channelMessages(channel.name)) continue;
      const from = Number(address.searchParams.get('cursor') ?? 0);
      const rest = answers.messages.slice(from);
      return json({ messages: rest.slice(0, PAGE), next_cursor: rest.length > PAGE ? String(from + PAGE) : null });
    }
    return null;
  }

  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    const method = init.method ?? 'GET';
    const address = new URL(path, 'http://127.0.0.1');
    answers.requests.push({ what: `${method} ${path}`, body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined });
    const answer = answers.more.get(`${method} ${address.pathname}`)?.() ?? (method === 'GET' ? read(address) : null);
    return Promise.resolve(answer ?? problem('not_found', 404, 'There is nothing here.'));
  });
  vi.stubGlobal('IntersectionObserver', AllInSight);
  return answers;
}

export class NothingInSight {
  observe() {
    return undefined;
  }

  unobserve() {
    return undefined;
  }

  disconnect() {
    return undefined;
  }
}

class AllInSight {
  readonly #seen: (entries: { isIntersecting: boolean }[]) => void;

  constructor(seen: (entries: { isIntersecting: boolean }[]) => void) {
    this.#seen = seen;
  }

  observe(target: Element) {
    if (target.tagName !== 'A') this.#seen([{ isIntersecting: true }]);
  }

  unobserve() {
    return undefined;
  }

  disconnect() {
    return undefined;
  }
}
