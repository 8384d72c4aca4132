import { expect, it } from 'vitest';
import { completeMention, matchMembers, mentionAt } from './MemberPicker.tsx';

const member = (name: string, active = true) => ({ id: name, name, initials: name.slice(0, 2), active });
const MEMBERS = [member('Ben Adams'), member('Ada Lovelace'), member('Adam'), member('Ada Gone', false)];
const names = (typed: string) => matchMembers(MEMBERS, typed).map(({ name }) => name);

it('finds active members by a prefix of the name, then of its words', () => {
  expect(names('ada')).toEqual(['Ada Lovelace', 'Adam', 'Ben Adams']);
  expect(names('ADA  l')).toEqual(['Ada Lovelace']);
  expect(names('love')).toEqual(['Ada Lovelace']);
  expect(names('')).toHaveLength(3);
  expect(names('da')).toEqual([]);
});

it('finds the @ before the caret', () => {
  expect(mentionAt('Hi @ada l', 9)).toEqual({ from: 3, typed: 'ada l' });
  expect(mentionAt('Hi @', 4)).toEqual({ from: 3, typed: '' });
  expect(mentionAt('Hi @ada', 3)).toBeNull();
  expect(mentionAt('mail@ada', 8)).toBeNull();
  expect(mentionAt('@ ada', 5)).toBeNull();
  expect(mentionAt('@ada\nso', 7)).toBeNull();
  expect(mentionAt('@ada', 0)).toBeNull();
});

it('inserts the full name and one space', () => {
  const text = 'Hi @ad, look';
  expect(completeMention(text, { from: 3, typed: 'ad' }, 'Ada Lovelace')).toEqual({ text: 'Hi @Ada Lovelace , look', caret: 17 });
  expect(completeMention('@ad x', { from: 0, typed: 'ad' }, 'Adam')).toEqual({ text: '@Adam x', caret: 6 });
});
