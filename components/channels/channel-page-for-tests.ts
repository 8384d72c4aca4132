import { vi } from 'vitest';
import type { Channel, Message } from '#lib/contract/channel.ts';
import { API } from '#lib/contract/paths.ts';
import { clock, clockExtension } from './channels-for-tests.ts';

/** What the server holds and answers; tests change it between reads. */
export interface Answers {
  channels: Channel[];
  /** Newest first, two a page. */
  messages: Message[];
  /** Answers of writes and of single calls by `METHOD address`; what is not here is 404. */
  readonly more: Map<string, () => Response>;
  /** What was asked, with the body of writes. */
  readonly asked: { readonly what: string; readonly body: unknown }[];
}

const PAGE = 2;

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

export function problem(code: string, status: number, detail: string): Response {
  return json({ code, status, detail, title: detail }, status);
}

/** Puts a server in place of fetch, and an observer that sees everything in sight. */
export function answerRequests(): Answers {
  const answers: Answers = { channels: [clock], messages: [], more: new Map(), asked: [] };

  function read(address: URL): Response | null {
    if (address.pathname === API.channels) return json({ channels: answers.channels });
    if (address.pathname === API.tools) return json({ version: 1, tools: [] });
    if (address.pathname === API.extensions)
      return json({
        version: 1,
        watch: { mode: 'native', reason: null, self_test: { result: 'running', reason: null, at: null, duration_ms: null } },
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
    answers.asked.push({ what: `${method} ${path}`, body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined });
    const answer = answers.more.get(`${method} ${address.pathname}`)?.() ?? (method === 'GET' ? read(address) : null);
    return Promise.resolve(answer ?? problem('not_found', 404, 'There is nothing here.'));
  });
  vi.stubGlobal('IntersectionObserver', AllInSight);
  return answers;
}

/** For what is read when it comes into sight, and never does. */
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

/** Links apart: Next would fetch ahead what they lead to. */
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
