import { expect, it } from 'vitest';
import { type Followed, followSteps } from './InjectTest.tsx';
import { outbound } from './channels-for-tests.ts';
import { messageRecord, runningCallRecord } from '#lib/testing/api-records.ts';

const call = runningCallRecord({
  id: 'call',
  source: 'channel',
  actor: 'ada',
  started_at: '2026-11-22T10:00:00.100Z',
});
const on = { enabled: true, tools: ['*'] };
const off = { enabled: false, tools: [] };
const command = messageRecord('m', '/get_weather city=Lisbon', { injected: true });

function statesOf(followed: Partial<Followed>): string {
  return followSteps({ message: command, call: null, reply: null, commands: on, ...followed })
    .map((step) => step.state)
    .join(' ');
}

it('follows a command from receipt to the reply', () => {
  const message = { ...command, call_id: 'call' };
  const done = { ...call, status: 'succeeded' as const, finished_at: '2026-11-22T10:00:01.000Z', duration_ms: 900 };
  expect(statesOf({})).toBe('done running waiting waiting');
  expect(statesOf({ message })).toBe('done done running waiting');
  expect(statesOf({ message, call })).toBe('done done running waiting');
  expect(statesOf({ message, call: done })).toBe('done done done running');
  expect(statesOf({ message, call: done, reply: outbound('r', 'Sunny', { state: 'queued' }) })).toBe('done done done running');
  expect(statesOf({ message, call: done, reply: outbound('r', 'Sunny') })).toBe('done done done done');
});

it('shows why a call or its reply failed', () => {
  const message = { ...command, call_id: 'call' };
  const failed = { ...call, status: 'failed' as const, error: { kind: 'execution_error' as const, message: 'No such city.' } };
  const reply = outbound('r', 'No such city.', { state: 'failed', error: 'connection refused' });
  const steps = followSteps({ message, call: failed, reply, commands: on });
  expect(steps.map((step) => [step.state, step.quote])).toEqual([
    ['done', null],
    ['done', null],
    ['failed', 'No such city.'],
    ['failed', 'connection refused'],
  ]);
});

it('recognizes a command that is answered without a call', () => {
  expect(statesOf({ message: messageRecord('m', '/help'), reply: outbound('r', 'Tools: …') })).toBe('done done skipped done');
});

it('says why a command was not run', () => {
  const message = messageRecord('m', '/nothing', { error: 'There is no tool called nothing.' });
  const steps = followSteps({ message, call: null, reply: outbound('r', 'There is no tool called nothing.'), commands: on });
  expect(steps.map((step) => step.state)).toEqual(['done', 'failed', 'skipped', 'done']);
  expect(steps[1]?.quote).toBe('There is no tool called nothing.');
});

it('says why a text is not a command', () => {
  expect(statesOf({ message: messageRecord('m', 'hello') })).toBe('done skipped skipped skipped');
  expect(statesOf({ message: messageRecord('m', 'hello', { error: 'The text was cut.' }) })).toBe('done skipped skipped skipped');
  expect(statesOf({ message: messageRecord('m', '/ hello') })).toBe('done skipped skipped skipped');
  expect(statesOf({ message: messageRecord('m', '/usr/bin') })).toBe('done skipped skipped skipped');
  expect(statesOf({ message: messageRecord('m', ' /help ') })).toBe('done running waiting waiting');
  expect(statesOf({ commands: off })).toBe('done skipped skipped skipped');
  expect(followSteps({ message: command, call: null, reply: null, commands: off })[1]?.words).toContain('Commands are disabled');
});
