import { expect, test } from 'vitest';
import { LOCAL_PERSON } from '#lib/access/principal.ts';
import { readRequester, requesterFor } from './requester.ts';

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
