import { expect, it } from 'vitest';
import { isData, isLong, lengthState, lineOf, recentSenders } from './MessageItem.tsx';
import { outbound } from './channels-for-tests.ts';
import { messageRecord } from '#lib/testing/api-records.ts';

it('suggests distinct recent senders, not recipients', () => {
  const messages = [
    messageRecord('4', 'x', { sender: 'bob' }),
    outbound('3', 'x'),
    messageRecord('2', 'x', { sender: 'ada' }),
    messageRecord('1', 'x', { sender: 'bob' }),
  ];
  expect(recentSenders(messages)).toEqual(['bob', 'ada']);
  expect(recentSenders(messages, 1)).toEqual(['bob']);
});

it('folds long texts', () => {
  expect(isLong('short')).toBe(false);
  expect(isLong('x'.repeat(1_201))).toBe(true);
  expect(isLong('x\n'.repeat(13))).toBe(false);
  expect(isLong('x\n'.repeat(14))).toBe(true);
});

it('distinguishes data from prose', () => {
  expect(['{"a": 1}', ' [1]', '{a}', '[sic]', '12', 'so {}'].map(isData)).toEqual([true, true, false, false, false, false]);
});

it('quotes the beginning on one line', () => {
  expect(lineOf('  a\n\nb\tc ')).toBe('a b c');
  expect(lineOf('x'.repeat(200), 5)).toBe('xxxxx…');
});

it('shows the length only near the limit', () => {
  expect([0, 89, 90, 100, 101].map((length) => lengthState(length, 100))).toEqual(['fine', 'fine', 'near', 'near', 'over']);
});
