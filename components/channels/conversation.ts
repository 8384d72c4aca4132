import type { Message } from '#lib/contract/channel.ts';

/** How many of the ids (newest first) came after the one that was seen last. */
export function newerThan(ids: readonly string[], seen: string | null): number {
  if (seen === null) return 0;
  return Math.max(0, ids.indexOf(seen));
}

/** Who wrote here last, each once: whom one may want to write to. */
export function recentSenders(messages: readonly Message[], most = 12): readonly string[] {
  const senders = messages.filter((message) => message.direction === 'in').map((message) => message.sender);
  return [...new Set(senders)].slice(0, most);
}

const LONG_TEXT = 1_200;
const LONG_LINES = 14;

/** Whether a text is folded until somebody wants all of it. */
export function isLong(text: string): boolean {
  return text.length > LONG_TEXT || text.split('\n', LONG_LINES + 1).length > LONG_LINES;
}

const JSON_MOST = 20_000;

/** Whether a text is data rather than prose: its lines then stand as in a program. */
export function isData(text: string): boolean {
  if (text.length > JSON_MOST || !/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The beginning of a text in one line, to be quoted. */
export function lineOf(text: string, most = 90): string {
  const line = text
    .slice(0, most * 2)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > most || text.length > most * 2 ? `${line.slice(0, most)}…` : line;
}

/** How a text of this length stands to the limit: nothing to say, close to it, or beyond. */
export function lengthState(length: number, most: number): 'fine' | 'near' | 'over' {
  if (length > most) return 'over';
  return length >= most * 0.9 ? 'near' : 'fine';
}
