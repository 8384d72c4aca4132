import { expect, test } from 'vitest';
import { LOCAL_PERSON } from '#lib/access/principal.ts';
import { readRequester, requesterFor, wantsAsync } from './request-headers.ts';

function read(headers: Record<string, string>) {
  return readRequester((name) => headers[name]);
}

test.each([
  [{}, null],
  [{ 'x-actor': '  ' }, null],
  [{ 'x-actor': 'Ada' }, 'Ada'],
  [{ 'x-actor': 'Zo%C3%AB' }, 'Zoë'],
  [{ 'x-actor': Buffer.from('Zoë').toString('latin1') }, 'Zoë'],
])('reads the actor of %j', (headers, name) => {
  expect(read(headers)).toMatchObject({ ok: true, value: { actor: { name } } });
});

test.each(['%', '%FF', '%0A', 'a%00b', '%E2%80%AE', 'x'.repeat(257), '\u00ff'])('refuses the actor %j', (name) => {
  expect(read({ 'x-actor': name })).toMatchObject({ ok: false, problem: { code: 'request_malformed' } });
});

test('accepts the dashboard as the source only when the browser confirms it', () => {
  expect(read({ 'x-switchboard-client': 'web', 'sec-fetch-site': 'same-origin' })).toMatchObject({ value: { source: 'web' } });
  expect(read({ 'x-switchboard-client': 'web' })).toMatchObject({ value: { source: 'api' } });
  expect(read({ 'x-switchboard-client': 'cli' })).toMatchObject({ value: { source: 'cli' } });
  expect(read({})).toMatchObject({ value: { source: 'api' } });
});

test.each([
  [{ kind: 'member', id: 'm', name: 'Anna', email: '', role: 'viewer', sessionId: 's' } as const, { name: 'Anna', member: 'm' }],
  [
    { kind: 'token', id: 't', name: 'nightly', ownerId: 'm', owner: 'Anna', role: 'viewer', tools: null } as const,
    { name: 'nightly (Anna)', member: 'm' },
  ],
  [{ kind: 'key' } as const, { name: 'admin token' }],
  [{ kind: 'key', by: { kind: 'member', id: 'm', name: 'Anna', email: '', role: 'viewer', sessionId: 's' } } as const, { name: 'Anna' }],
  [LOCAL_PERSON, { name: 'Ben', member: 'local' }],
])('names %j as %j and ignores x-actor when there are accounts', (principal, actor) => {
  const headers: Readonly<Record<string, string>> = { 'x-actor': 'Ben', 'x-switchboard-client': 'cli' };
  expect(requesterFor(principal, (header) => headers[header])).toEqual({ ok: true, value: { actor, source: 'cli' } });
});

test.each([
  'respond-async',
  'Respond-Async',
  ' respond-async ',
  'respond-async;foo',
  'respond-async ; foo="a, b" ;; bar',
  'respond-async=""',
  'respond-async = ""',
  'wait=10, respond-async; x="y,z"',
  'handling=lenient,respond-async,wait=5',
  ',, respond-async',
  'foo="a \\" b, c", respond-async',
])('requests the running call: %s', (prefer) => {
  expect(wantsAsync(prefer)).toBe(true);
});

test.each([
  null,
  undefined,
  '',
  'respond-sync',
  'respond-async-later',
  'x-respond-async',
  'wait=10; respond-async',
  'foo="wait, respond-async, bar"',
  'foo="respond-async',
  'foo="a \\", respond-async, b"',
  'foo=respond-async',
  'respond-async=no',
  'respond-async=no, respond-async',
  '"respond-async"',
])('does not request the running call: %s', (prefer) => {
  expect(wantsAsync(prefer)).toBe(false);
});

test('a long header of quotes and spaces is parsed fast', () => {
  expect(wantsAsync(`${'" '.repeat(8_000)}, respond-async`)).toBe(true);
  expect(wantsAsync(' '.repeat(16_000))).toBe(false);
});
