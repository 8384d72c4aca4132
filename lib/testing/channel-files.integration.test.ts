import { afterEach, expect, it, vi } from 'vitest';
import { type LivingHost, must, startHost } from './living-host.ts';

/** Channel files in the folder of a real host. */
const PATIENCE = { timeout: 15_000 };

let living: LivingHost | null = null;
afterEach(async () => {
  await living?.remove();
  living = null;
});

const MESSAGE_PY = `"""A line to nowhere."""
import queue

waiting = queue.Queue()


def connect() -> None:
    print("connected")


def recv():
    return waiting.get()


def send(message) -> None:
    print(message["text"])
`;

const ANSWER_PY = `import asyncio
from switchboard import Message

waiting = asyncio.Queue()


async def connect() -> None:
    """Answers every sender."""


async def recv() -> Message:
    return await waiting.get()


async def send(incoming: Message, text: str) -> None:
    await waiting.put(Message(text, incoming.sender))
`;

const COMMON_JS = `/** Written for require. */
const queue = [];
exports.connect = () => {};
exports.recv = () => queue.shift() ?? new Promise(() => {});
exports.send = (incoming, text) => { queue.push({ text, sender: incoming.sender }); };
exports.status = () => ({ waiting: queue.length });
`;

it('loads channels of every form, names them, and keeps them after a restart and a fault', async () => {
  living = await startHost({
    'channels/line.py': MESSAGE_PY,
    'channels/answers.py': ANSWER_PY,
    'channels/old.js': COMMON_JS,
    'channels/typed.ts': `import type { Message } from 'switchboard';\n\n/** Typed. */\nexport async function connect(): Promise<void> {}\nexport const recv = (): Promise<Message> => new Promise(() => {});\nexport async function send(message: Message): Promise<void> { console.log(message.text); }\n`,
  });
  const shown = (host: LivingHost) =>
    ['answers', 'line', 'old', 'typed'].map((name) => {
      const found = host.extension(`channels/${name}`);
      return [found?.state, found?.kind, found?.description, found?.channels, found?.tools];
    });
  const expected = [
    ['ready', 'channel', 'Answers every sender.', ['answers'], []],
    ['ready', 'channel', 'A line to nowhere.', ['line'], []],
    ['ready', 'channel', 'Written for require.', ['old'], []],
    ['ready', 'channel', 'Typed.', ['typed'], []],
  ];
  expect(shown(living)).toEqual(expected);
  expect((await living.reload()).channels.filter((name) => name !== 'web').sort()).toEqual(['answers', 'line', 'old', 'typed']);

  living = await living.restart();
  expect(shown(living)).toEqual(expected);

  await living.save({ 'channels/line.py': MESSAGE_PY.replace('def recv', 'def receive') });
  await vi.waitFor(
    () =>
      expect(living?.extension('channels/line')).toMatchObject({
        state: 'degraded',
        channels: ['line'],
        failure: { code: 'channel_incomplete', line: 11 },
      }),
    PATIENCE,
  );
  await living.save({ 'channels/line.py': null });
  await vi.waitFor(() => expect(living?.extension('channels/line')).toBeUndefined(), PATIENCE);
});

/** Channels written for the same three functions elsewhere, without imports from Switchboard. */
const AS_WRITTEN: Readonly<Record<string, string>> = {
  'message_sync.py': `import queue

inbox = queue.Queue()


def connect() -> None:
    pass


def recv() -> dict:
    return inbox.get()


def send(message) -> None:
    inbox.put({"text": "back: " + message.text, "sender": message["metadata"]["recipient"], "channel": message.channel})
`,
  'message_async.py': `import asyncio
from dataclasses import dataclass

inbox = asyncio.Queue()


@dataclass
class Message:
    text: str
    sender: str
    channel: str


async def connect():
    pass


async def recv():
    return await inbox.get()


async def send(message):
    await inbox.put(Message("back: " + message["text"], message.metadata["recipient"], "message_async"))
`,
  'answer_sync.py': `import queue

inbox = queue.Queue()


def connect():
    pass


def recv():
    return inbox.get()


def send(incoming, text):
    inbox.put({"text": "back: " + text, "sender": incoming.sender, "channel": incoming["channel"]})
`,
  'answer_async.py': `import asyncio

inbox = asyncio.Queue()


async def connect():
    pass


async def recv():
    return await inbox.get()


async def send(incoming, text):
    await inbox.put({"text": "back: " + text, "sender": incoming.get("sender"), "channel": "answer_async"})
`,
  'message_node.ts': `const waiting: object[] = [];
let wake = () => {};
export function connect() {}
export async function recv() {
  while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
  return waiting.shift();
}
export function send(message) {
  waiting.push({ text: 'back: ' + message.text, sender: message.metadata.recipient, channel: 'message_node' });
  wake();
}
`,
  'answer_node.mjs': `const waiting = [];
let wake = () => {};
export async function connect() {}
export async function recv() {
  while (waiting.length === 0) await new Promise((resolve) => (wake = resolve));
  return waiting.shift();
}
export async function send(incoming, text) {
  waiting.push({ text: 'back: ' + text, sender: incoming.sender, channel: 'answer_node' });
  wake();
}
`,
};

it('sends and receives messages through each form, also after a save in between', async () => {
  const names = Object.keys(AS_WRITTEN).map((file) => file.replace(/\.\w+$/, ''));
  const files = Object.fromEntries(Object.entries(AS_WRITTEN).map(([file, text]) => [`channels/${file}`, text]));
  living = await startHost(files);
  const { channels } = living.host;
  const received = async (name: string): Promise<string[]> =>
    must(await channels.messages(name, { limit: 50 }))
      .messages.filter((message) => message.direction === 'in' && !message.injected)
      .map((message) => `${message.sender}: ${message.text}`)
      .toReversed();
  const sendToAll = async (text: string): Promise<void> => {
    for (const name of names) must(await channels.send(name, { text, recipient: 'ada' }, { name: 'Bob' }));
  };
  for (const name of names) must(await channels.inject(name, { text: 'good day', sender: 'ada' }, { name: 'Bob' }));
  await sendToAll('one');
  await vi.waitFor(async () => expect(await Promise.all(names.map(received))).toEqual(names.map(() => ['ada: back: one'])), PATIENCE);

  await living.save(Object.fromEntries(Object.entries(files).map(([file, text]) => [file, text.replace('back:', 'again:')])));
  await sendToAll('two');
  await vi.waitFor(
    () => expect(names.map((name) => living?.extension(`channels/${name}`)?.serving_revision)).toEqual(names.map(() => 2)),
    PATIENCE,
  );
  await sendToAll('three');
  await vi.waitFor(async () => {
    for (const name of names)
      expect(await received(name)).toEqual(['ada: back: one', expect.stringMatching(/^ada: (?:back|again): two$/), 'ada: again: three']);
  }, PATIENCE);
  for (const name of names)
    expect(must(await channels.get(name))).toMatchObject({ state: 'connected', reason: null, queued: 0, failed: 0 });
});
