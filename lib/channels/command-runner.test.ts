import { describe, expect, it } from 'vitest';
import type { Call } from '#lib/contract/call.ts';
import type { ChannelCommands, Message } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { settle } from './channels-for-tests.ts';
import { type CommandRunner, createCommandRunner } from './command-runner.ts';
import { inboundMessage } from './channel-messages.ts';
import { readCommand, type RedactArguments } from './written-command.ts';
import { callRecord, toolRecord } from '#lib/testing/api-records.ts';

const tool = (name: string, change: Partial<Tool> = {}): Tool =>
  toolRecord(name, {
    extension: 'test',
    description: `Does ${name}.\nAnd more.`,
    parameters: {
      type: 'object',
      properties: { text: { type: 'string', description: 'What to say' }, ms: { type: 'integer' } },
      required: ['text'],
    },
    ...change,
  });

const TOOLS = [tool('echo'), tool('wipe', { annotations: { destructiveHint: true } }), tool('gone', { available: false })];

const hideNothing: RedactArguments = (args) => ({ text: JSON.stringify(args), paths: [], clean: (text) => text });

interface Started {
  readonly runner: CommandRunner;
  readonly replies: string[];
  readonly notes: string[];
  readonly calls: { readonly tool: string; readonly args: unknown; end(change: Partial<Call>): void }[];
  say(text: string, sender?: string): void;
}

function start(commands: ChannelCommands = { enabled: true, tools: ['*'] }): Started {
  const replies: string[] = [];
  const notes: string[] = [];
  const calls: Started['calls'] = [];
  const texts = new Map<string, string>();
  const tools = new Map(TOOLS.map((each) => [each.name, each]));
  const runner = createCommandRunner({
    commands: () => commands,
    tools: () => tools,
    nearestName: (written, names) => [...names].find((name) => name[0] === written[0]) ?? null,
    async startCall(name, args) {
      if (calls.length > 900) return refuse('too_many_calls', 'Too many calls wait.');
      const { promise, resolve } = Promise.withResolvers<string>();
      const id = `call ${calls.length + 1}`;
      calls.push({ tool: name, args, end: (change) => resolve(JSON.stringify({ ...ENDED, id, tool: name, ...change })) });
      return ok({ id, finished: promise });
    },
    record: async () => null,
    reply: async (message, { text, callId }) => void replies.push(`${message.sender}: ${text}${callId === null ? '' : ` (${callId})`}`),
    note: async (message, callId, error) => void notes.push(`${texts.get(message.id) ?? ''} → ${callId ?? error ?? ''}`),
    onError(error) {
      throw error;
    },
  });
  return {
    runner,
    replies,
    notes,
    calls,
    say(text, sender = 'Ada') {
      const message: Message = inboundMessage({ text, sender, channel: 'test', metadata: {} }, 'test', 0, false);
      texts.set(message.id, text);
      const command = readCommand(text, { tools, isOn: commands.enabled, redactArguments: hideNothing });
      if (command !== null) runner.take(message, command);
    },
  };
}

const ENDED = callRecord({
  id: '',
  tool: '',
  extension: 'test',
  source: 'channel',
  started_at: '2026-03-01T12:00:00.000Z',
  finished_at: null,
  duration_ms: null,
});

describe('commands', () => {
  it('are plain texts while commands are off', async () => {
    const { say, runner, replies, calls } = start({ enabled: false, tools: ['*'] });
    say('/help');
    say('/echo text=a');
    await runner.settled();
    expect([replies, calls]).toEqual([[], []]);
  });

  it('list the allowed tools, one per line, and show the arguments of one', async () => {
    const { say, runner, replies } = start();
    say('/help');
    say('/start');
    say('/help echo');
    say('/help ech');
    await runner.settled();
    expect(replies[0]).toBe(
      'Ada: /echo: Does echo.\n\nArguments: /tool key=value other="a text", or /tool {"key": "value"}. /help <tool> shows its arguments.',
    );
    expect(replies[1]).toBe(replies[0]);
    expect(replies[2]).toBe('Ada: /echo: Does echo.\nAnd more.\nArguments:\n  text (string, required): What to say\n  ms (integer)');
    expect(replies[3]).toContain('Did you mean /echo?');
  });

  it('run the named tool, record the call, and reply with the result', async () => {
    const { say, runner, replies, notes, calls } = start({ enabled: true, tools: ['echo', 'wipe'] });
    say('/echo text=5 ms=5');
    say('/wipe {"text": "all"}');
    await settle();
    expect(calls.map(({ tool: name, args }) => [name, args])).toEqual([
      ['echo', { text: '5', ms: 5 }],
      ['wipe', { text: 'all' }],
    ]);
    calls[0]?.end({ result: { said: 5 } });
    calls[1]?.end({ status: 'failed', error: { kind: 'execution_error', message: 'No space.' } });
    await runner.settled();
    expect(notes).toEqual(['/echo text=5 ms=5 → call 1', '/wipe {"text": "all"} → call 2']);
    expect(replies).toEqual(['Ada: {\n  "said": 5\n} (call 1)', 'Ada: wipe failed: No space. (call 2)']);
  });

  it('name all invalid arguments at once', async () => {
    const { say, runner, replies, calls } = start();
    say('/echo');
    await settle();
    calls[0]?.end({
      status: 'failed',
      error: {
        kind: 'invalid_parameters',
        message: 'x',
        issues: [{ path: '/text', keyword: 'required', message: 'is required, but it is missing' }],
      },
    });
    await runner.settled();
    expect(replies[0]).toBe(
      'Ada: echo was not run: invalid arguments.\n  /text is required, but it is missing\n/help echo shows its arguments. (call 1)',
    );
  });

  it.each([
    ['/eco text=a', 'There is no tool eco here. Did you mean /echo? /help lists the allowed tools.'],
    ['/wipe', 'wipe cannot be called from this channel: it is destructive, so * does not include it and it must be named.'],
    ['/echo just words', '“just words” is not a key=value pair.'],
    ['/echo text="open', 'The quotation mark that opens the value of text is not closed.'],
    ['/echo ms=x', 'ms must be a whole number, and “x” is not.'],
  ])('%s is not run, and the reply states the correct input', async (text, answer) => {
    const { say, runner, replies, notes, calls } = start();
    say(text);
    await runner.settled();
    expect(replies[0]).toContain(`Ada: ${answer}`);
    expect(notes[0]).toContain(`${text} → ${answer}`);
    expect(calls).toEqual([]);
  });

  it('are answered in order per sender, and a slow one delays no other sender', async () => {
    const { say, runner, replies, calls } = start();
    say('/echo text=slow');
    say('/echo text=quick');
    say('/echo text=other', 'Bob');
    await settle();
    calls[1]?.end({ result: 'quick' });
    calls[2]?.end({ result: 'other' });
    await settle();
    expect(replies).toEqual(['Bob: other (call 3)']);
    calls[0]?.end({ result: 'slow' });
    await runner.settled();
    expect(replies).toEqual(['Bob: other (call 3)', 'Ada: slow (call 1)', 'Ada: quick (call 2)']);
  });

  it('run with limited concurrency, wait in order, and are rejected beyond the queue', async () => {
    const { say, calls, replies } = start();
    const most = LIMITS.commandsAtOnce + LIMITS.commandsWaiting;
    for (let index = 0; index <= most; index += 1) say(`/echo text=${index}`, `sender ${index}`);
    await settle();
    expect(calls).toHaveLength(LIMITS.commandsAtOnce);
    expect(replies).toEqual([expect.stringMatching(new RegExp(`^sender ${most}: Too many commands are waiting`))]);
    calls[0]?.end({ result: 'done' });
    await settle();
    expect(calls).toHaveLength(LIMITS.commandsAtOnce + 1);
    expect(calls.at(-1)?.args).toEqual({ text: String(LIMITS.commandsAtOnce) });
  });

  it('truncate a long result and link the full one', async () => {
    const { say, runner, replies, calls } = start();
    say('/echo text=a');
    await settle();
    calls[0]?.end({ result: 'x'.repeat(LIMITS.replyLength + 5) });
    await runner.settled();
    expect(replies[0]).toContain(`${'x'.repeat(LIMITS.replyLength)}…\n(5 more characters; full result: /calls/call%201)`);
  });

  it.each([
    [null, 'Done. There is no result.'],
    ['', 'Done. The result is an empty text.'],
    [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'a\nb',
    ],
    [{ content: [{ type: 'image' }] }, '{\n  "content": [\n    {\n      "type": "image"\n    }\n  ]\n}'],
    [7, '7'],
  ])('show the result %j readably', async (result, text) => {
    const { say, runner, replies, calls } = start();
    say('/echo text=a');
    await settle();
    calls[0]?.end({ result });
    await runner.settled();
    expect(replies).toEqual([`Ada: ${text} (call 1)`]);
  });
});
