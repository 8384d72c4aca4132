import { openPayload } from './parse-child-message.ts';
import { isRecord } from './frames.ts';
import type { ChannelMessage } from './runtime.ts';

/**
 * What `recv` brought, or what is wrong with it in words for its author. The child refuses what is beyond all bounds; a text that is
 * only too long to be kept is cut by whoever keeps it, since a message that is not handed over is lost.
 */
export type ReadMessage = { readonly ok: true; readonly message: ChannelMessage } | { readonly ok: false; readonly why: string };

const NAME_LENGTH = 1_000;
const RIGHT = 'a message is { text, sender, channel, metadata }';

/**
 * @param payload JSON as the child made it of the value
 * @param channel the name that a message gets which does not say its own
 */
export function readMessage(payload: Buffer, channel: string): ReadMessage {
  const value = openPayload(payload);
  if (value === undefined) return wrong(`what could not be read, or is nested too deep; ${RIGHT}`);
  if (value === null) return wrong(`nothing; it must wait until there is a message and return it: ${RIGHT}`);
  if (!isRecord(value)) return wrong(`${kindOf(value)}; ${RIGHT}`);
  const { text, sender, metadata = null } = value;
  const from = value['channel'] ?? '';
  if (text === undefined || text === null) return wrong(`a message without \`text\`; ${RIGHT}`);
  if (typeof text !== 'string') return wrong(`a message whose \`text\` is ${kindOf(text)}; it must be text`);
  if (sender === undefined || sender === null || sender === '')
    return wrong('a message without `sender`; it must be text that says who wrote it, and answers go there');
  if (typeof sender !== 'string') return wrong(`a message whose \`sender\` is ${kindOf(sender)}; it must be text`);
  if (typeof from !== 'string') return wrong(`a message whose \`channel\` is ${kindOf(from)}; it must be text`);
  for (const [field, name] of [
    ['sender', sender],
    ['channel', from],
  ] as const)
    if (name.length > NAME_LENGTH)
      return wrong(`a message whose \`${field}\` has ${name.length.toLocaleString('en')} characters; it may have 1,000`);
  if (metadata !== null && !isRecord(metadata))
    return wrong(`a message whose \`metadata\` is ${kindOf(metadata)}; it must be an object, or left out`);
  return { ok: true, message: { text, sender, channel: from === '' ? channel : from, metadata: metadata ?? {} } };
}

function wrong(what: string): ReadMessage {
  return { ok: false, why: `\`recv\` returned ${what}.` };
}

function kindOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return `\`${value}\``;
    default:
      return 'an object';
  }
}
