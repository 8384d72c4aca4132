import { describe, expect, it } from 'vitest';
import {
  channelsInWords,
  commandsInWords,
  firstParagraph,
  isInTrouble,
  kindInWords,
  notLoaded,
  queueInWords,
  stateInWords,
} from './ChannelState.tsx';
import { clock, clockExtension } from './channels-for-tests.ts';

const now = Date.parse('2026-11-22T10:00:00Z');

describe('stateInWords', () => {
  it('counts down to the next attempt', () => {
    const retrying = { state: 'retrying', retry_at: '2026-11-22T10:00:07.200Z' } as const;
    expect(stateInWords(retrying, now)).toBe('Retrying in 8 s');
    expect(stateInWords(retrying, now + 7_000)).toBe('Retrying in 1 s');
    expect(stateInWords(retrying, now + 7_200)).toBe('Retrying now');
    expect(stateInWords({ state: 'retrying', retry_at: null }, now)).toBe('Retrying');
  });

  it('is a single word otherwise', () => {
    expect(stateInWords(clock, now)).toBe('Connected');
    expect(stateInWords({ state: 'stopped', retry_at: null }, now)).toBe('Stopped');
  });
});

it('sums up the states of all channels', () => {
  expect(channelsInWords([])).toBe('None yet');
  expect(channelsInWords([clock])).toBe('1 channel: 1 connected');
  expect(channelsInWords([clock, { ...clock, state: 'retrying' }, { ...clock, state: 'connected' }])).toBe(
    '3 channels: 2 connected, 1 retrying',
  );
});

it('reports disconnected channels and failed messages, but not disabled channels', () => {
  expect(isInTrouble(clock)).toBe(false);
  expect(isInTrouble({ ...clock, state: 'stopped' })).toBe(false);
  expect(isInTrouble({ ...clock, state: 'connecting', queued: 3 })).toBe(false);
  expect(isInTrouble({ ...clock, state: 'retrying' })).toBe(true);
  expect(isInTrouble({ ...clock, state: 'failed' })).toBe(true);
  expect(isInTrouble({ ...clock, failed: 1 })).toBe(true);
});

it('names the language of a channel', () => {
  expect(kindInWords({ extension: 'core' }, [])).toBe('Built in');
  expect(kindInWords(clock, [clockExtension])).toBe('TypeScript');
  expect(kindInWords(clock, [{ ...clockExtension, path: 'channels/clock.mjs' }])).toBe('JavaScript');
  expect(kindInWords(clock, [{ ...clockExtension, path: 'channels/clock.py' }])).toBe('Python');
  expect(kindInWords(clock, [])).toBe('Extension');
});

it('describes which tools commands may use', () => {
  expect(commandsInWords({ enabled: false, tools: ['*'] })).toBe('Off');
  expect(commandsInWords({ enabled: true, tools: ['*'] })).toBe('All non-destructive tools');
  expect(commandsInWords({ enabled: true, tools: ['*', 'delete_all'] })).toBe('All non-destructive tools and 1 by name');
  expect(commandsInWords({ enabled: true, tools: ['a'] })).toBe('1 tool');
  expect(commandsInWords({ enabled: true, tools: ['a', 'b'] })).toBe('2 tools');
  expect(commandsInWords({ enabled: true, tools: [] })).toBe('On, no tool allowed');
});

it('describes the number of queued messages', () => {
  expect([0, 1, 2].map(queueInWords)).toEqual(['Empty', '1 queued', '2 queued']);
});

it('finds channel extensions that did not load', () => {
  const broken = { ...clockExtension, id: 'channels/broken', state: 'failed' as const };
  const tools = { ...clockExtension, id: 'weather', kind: 'tools' as const };
  const excluded = { ...broken, id: 'channels/off', state: 'excluded' as const };
  expect(notLoaded([clock], [clockExtension, broken, tools, excluded])).toEqual([broken]);
});

it.each([
  ['', '', ''],
  ['One line.', 'One line.', ''],
  ['One\ntwo', 'One\ntwo', ''],
  ['One.\n\nTwo.\n\nThree.', 'One.', 'Two.\n\nThree.'],
  ['One.\n \t\n\n Two.\n', 'One.', 'Two.'],
])('splits %j after its first paragraph', (text, first, rest) => {
  expect(firstParagraph(text)).toEqual({ first, rest });
});
