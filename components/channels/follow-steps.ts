import type { Call } from '#lib/contract/call.ts';
import type { ChannelCommands, Message } from '#lib/contract/channel.ts';

/** `skipped`: this step does not come, and the words say why. */
export type StepState = 'done' | 'running' | 'failed' | 'waiting' | 'skipped';

export interface FollowStep {
  readonly name: 'Received' | 'Command' | 'Call' | 'Reply';
  readonly state: StepState;
  /** A sentence of ours; what others wrote stands in `quote`. */
  readonly words: string;
  readonly quote: string | null;
  readonly time: string | null;
}

export interface Followed {
  readonly message: Message;
  readonly call: Call | null;
  readonly reply: Message | null;
  readonly commands: ChannelCommands;
}

/** How the text of a command begins: a slash and a name, then nothing, a space or an object. */
const COMMAND = /^\/[A-Za-z][A-Za-z0-9_-]*(?:\s|\{|$)/;

/** The way of an inbound message through the channel, as far as it has come. */
export function followSteps(followed: Followed): readonly FollowStep[] {
  const { message } = followed;
  const received: FollowStep = { name: 'Received', state: 'done', words: 'Kept as a message.', quote: null, time: message.created_at };
  const command = commandStep(followed);
  const call = callStep(followed, command.state);
  return [received, command, call, replyStep(followed, command.state, call.state)];
}

function commandStep({ message, reply, commands }: Followed): FollowStep {
  const step = { name: 'Command', quote: null, time: null } as const;
  const isCommand = COMMAND.test(message.text.trim());
  if (message.error !== null && isCommand) return { ...step, state: 'failed', words: 'Not run.', quote: message.error };
  if (message.call_id !== null) return { ...step, state: 'done', words: 'Understood as a call.' };
  if (reply !== null) return { ...step, state: 'done', words: 'Answered without a call.' };
  if (!isCommand) return { ...step, state: 'skipped', words: 'No command: it does not begin like /tool. It stays a message.' };
  if (!commands.enabled) return { ...step, state: 'skipped', words: 'Commands are off in this channel. It stays a message.' };
  return { ...step, state: 'running', words: 'Being read…' };
}

function callStep({ message, call }: Followed, command: StepState): FollowStep {
  const step = { name: 'Call', quote: null, time: null } as const;
  if (message.call_id === null)
    return command === 'running' ? { ...step, state: 'waiting', words: 'Not yet.' } : { ...step, state: 'skipped', words: 'None.' };
  if (call === null || call.status === 'running') return { ...step, state: 'running', words: 'Running…', time: call?.started_at ?? null };
  const time = call.finished_at;
  if (call.status === 'succeeded') return { ...step, state: 'done', words: 'Succeeded.', time };
  return { ...step, state: 'failed', words: 'Failed.', quote: call.error?.message ?? null, time };
}

function replyStep({ reply }: Followed, command: StepState, call: StepState): FollowStep {
  const step = { name: 'Reply', quote: null, time: null } as const;
  if (reply === null) {
    if (command === 'skipped') return { ...step, state: 'skipped', words: 'None: only commands are answered.' };
    return call === 'running' || command === 'running'
      ? { ...step, state: 'waiting', words: 'Not yet.' }
      : { ...step, state: 'running', words: 'Being written…' };
  }
  const time = reply.created_at;
  if (reply.state === 'failed') return { ...step, state: 'failed', words: 'Could not be sent.', quote: reply.error, time };
  if (reply.state === 'queued') return { ...step, state: 'running', words: 'Waits to be sent.', quote: reply.error, time };
  return { ...step, state: 'done', words: reply.recipient === null ? 'Sent.' : 'Sent to the sender.', quote: null, time };
}
