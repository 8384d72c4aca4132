import { afterEach, expect, it, vi } from 'vitest';
import type { LivingHost } from './living-host.ts';
import { startHost } from './living-host.ts';

/** Channels as people write them, as files in the folder of a real host. */
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
    """Answers whoever writes."""


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

it('loads channels of every form, names them, and keeps them over a restart and a fault', async () => {
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
    ['ready', 'channel', 'Answers whoever writes.', ['answers'], []],
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
