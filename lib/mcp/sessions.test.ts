import { describe, expect, it, vi } from 'vitest';
import { createSessions } from './sessions.ts';

describe('sessions', () => {
  it('have ids of visible ASCII with version and client, valid on other servers too', () => {
    const { id } = createSessions().open('2025-06-18', 'Zoë’s agent', null);
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    expect(createSessions().find(id, null)).toMatchObject({ id, version: '2025-06-18', clientName: 'Zoë’s agent', logLevel: 'info' });
  });

  it('keep their log level and subscriptions', () => {
    const sessions = createSessions();
    const session = sessions.open('2025-11-25', null, null);
    session.logLevel = 'error';
    expect(sessions.find(session.id, null)?.logLevel).toBe('error');
  });

  it('belong only to the caller that opened them, also after a restart', () => {
    const sessions = createSessions();
    const { id } = sessions.open('2025-06-18', 'agent', 'token:1');
    for (const known of [sessions, createSessions()]) {
      expect(known.find(id, 'token:1')).toMatchObject({ id, owner: 'token:1' });
      expect(known.find(id, 'token:2')).toBeNull();
      expect(known.find(id, null)).toBeNull();
    }
    const { id: nobodys } = sessions.open('2025-06-18', 'agent', null);
    expect(sessions.find(nobodys, 'token:1')).toBeNull();
    expect(createSessions().find(nobodys, 'token:1')).toBeNull();
  });

  it.each([
    '',
    'x',
    '00000000-0000-4000-8000-000000000000',
    '00000000-0000-4000-8000-000000000000.e30',
    '00000000-0000-4000-8000-000000000000.%%%',
  ])('are not created from %j', (id) => expect(createSessions().find(id, null)).toBeNull());

  it('are not created from an unknown protocol version', () => {
    const facts = Buffer.from('["1999-01-01","x"]').toString('base64url');
    expect(createSessions().find(`00000000-0000-4000-8000-000000000000.${facts}`, null)).toBeNull();
  });

  it('end permanently, and their calls are cancelled', () => {
    const sessions = createSessions();
    const session = sessions.open('2025-11-25', 'one', null);
    const cancel = vi.fn<() => void>();
    session.calls.set(1, { cancel });
    sessions.end(session);
    expect(cancel).toHaveBeenCalledOnce();
    expect(sessions.find(session.id, null)).toBeNull();
  });

  it('are dropped beyond the limit, least recently used first, except those with running calls', () => {
    const sessions = createSessions({ kept: 2 });
    const busy = sessions.open('2025-11-25', 'busy', null);
    busy.calls.set(1, { cancel: () => undefined });
    const idle = sessions.open('2025-11-25', 'idle', null);
    idle.logLevel = 'error';
    sessions.open('2025-11-25', 'new', null);
    expect([...sessions.all()].map(({ clientName }) => clientName)).toEqual(['busy', 'new']);
    expect(sessions.find(idle.id, null)).toMatchObject({ clientName: 'idle', logLevel: 'info' });
  });
});
