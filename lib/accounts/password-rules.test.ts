import { expect, test } from 'vitest';
import { checkPassword } from './password-rules.ts';

const PERSON = { name: 'Anna Maria Author', email: 'anna.author@example.com' };

test.each([
  'correct horse battery',
  'twelve signs',
  'Wörter in einer Reihe',
  '我们的密码很长很长很长很',
  'x7$kQ9!mZ2@p',
  'my password is a long one',
  'a'.repeat(64) + 'bcdefgh',
  '#}!$)&(/+~*;?',
  '🦊🍋🚲🎈🌵🐙🥨🛶🧭🪁🍄🎻',
])('accepts %j', (password) => {
  expect(checkPassword(password, PERSON)).toEqual({ ok: true, value: null });
});

test.each([
  ['is short', 'elevensigns'],
  ['has few characters, although many bytes', '😀'.repeat(11)],
  ['is long', 'abcd'.repeat(65)],
  ['is the name', 'anna maria author'],
  ['is the name without blanks, twice', 'AnnaMariaAuthorAnnaMariaAuthor'],
  ['is the address', 'Anna.Author@example.com'],
  ['is the part of the address before the @, with a year', 'anna.author-2026'],
  ['is a common one', 'Password-123'],
  ['is a common one with more digits', 'password123456'],
  ['is made of common ones', 'letmeinletmein1'],
  ['is a sequence of keys', 'qwertyuiop12'],
  ['is a famous one', 'correct horse battery staple'],
  ['is one repeated character', '!!!!!!!!!!!!'],
  ['is two repeated characters', 'abababababababab'],
  ['is two repeated letters with signs', 'a!b?a!b?a!b?'],
  ['is three repeated signs', '!?#!?#!?#!?#'],
])('refuses a password that %s', (_, password) => {
  const checked = checkPassword(password, PERSON);
  expect(checked).toMatchObject({ ok: false, problem: { code: 'password_weak' } });
  expect(JSON.stringify(checked)).not.toContain(password);
});
