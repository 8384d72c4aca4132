/** A channel that echoes sent messages, which shows both directions. */
export const channelTypeScript = (
  name: string,
): string => `/** An echo: each sent message comes back as a received one. Replace it with your messenger. */
import type { Message } from 'switchboard';

const received: Message[] = [];
let wake: (() => void) | null = null;

/** Called once at the start and after each failure: sign in, open the connection. Throw if that fails. */
export async function connect(): Promise<void> {
  received.length = 0;
}

/** Waits for the next message, for as long as it takes. */
export async function recv(): Promise<Message> {
  for (;;) {
    const message = received.shift();
    if (message !== undefined) return message;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

/** Sends one message to \`message.metadata.recipient\`. Throw if that fails. */
export async function send(message: Message): Promise<void> {
  const recipient = message.metadata?.recipient;
  received.push({ text: message.text, sender: typeof recipient === 'string' ? recipient : 'echo', channel: '${name}' });
  wake?.();
}
`;

export const channelPython = (
  name: string,
): string => `"""An echo: each sent message comes back as a received one. Replace it with your messenger."""

import asyncio

from switchboard import Message

received: list[Message] = []
arrived = asyncio.Event()


async def connect() -> None:
    """Called once at the start and after each failure: sign in, open the connection. Raise if that fails."""
    received.clear()


async def recv() -> Message:
    """Waits for the next message, for as long as it takes."""
    while not received:
        arrived.clear()
        await arrived.wait()
    return received.pop(0)


async def send(message: Message) -> None:
    """Sends one message to \`message.metadata["recipient"]\`. Raise if that fails."""
    recipient = (message.metadata or {}).get("recipient") or "echo"
    received.append(Message(text=message.text, sender=recipient, channel="${name}"))
    arrived.set()
`;
