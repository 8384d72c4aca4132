import { expect, it } from 'vitest';
import { hideUrlPasswords, holdsUrlPassword, urlPasswords } from './secret-urls.ts';

it.each([
  ['postgres://user:hunter2@host/db', 'postgres://user:[redacted]@host/db'],
  ['at https://me:p%40ss@example.com:8443/a?b=c, or', 'at https://me:[redacted]@example.com:8443/a?b=c, or'],
  ['redis://:only-a-password@cache:6379', 'redis://:[redacted]@cache:6379'],
  ['MONGODB+SRV://a:b:c@x "amqp://q:w@y"', 'MONGODB+SRV://a:[redacted]@x "amqp://q:[redacted]@y"'],
  ['https://x:a@b@host/', 'https://x:[redacted]@host/'],
  ['https://x:[redacted]@host/', 'https://x:[redacted]@host/'],
])('hides the password of an address and nothing else: %s', (text, hidden) => {
  expect(hideUrlPasswords(text)).toBe(hidden);
  expect(holdsUrlPassword(text)).toBe(true);
});

it.each([
  'https://host:8080/a@b',
  'https://me@host/',
  'mailto:a:b@c',
  'a://b c:d@e',
  'https://host/x:y@z',
  'ssh://host and a:b@c',
  'https://u:@host',
])('leaves %s alone', (text) => {
  expect(hideUrlPasswords(text)).toBe(text);
  expect(holdsUrlPassword(text)).toBe(false);
});

it('tells the passwords as written and as meant, but not the name of the user', () => {
  expect(urlPasswords('a://u:p%40ss@h b://root:root@h c://u:%zz@h d://u:[redacted]@h')).toEqual(['p%40ss', 'p@ss', '%zz']);
});
