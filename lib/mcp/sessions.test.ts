import { describe, expect, it, vi } from 'vitest';
import { createSessions } from './sessions.ts';

describe('sessions', () => {
  it('are known by ids of visible ASCII that say version and client, also to another server', () => {
    const { id } = createSessions().open('2025-06-18', 'Zoë’s agent');
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    expect(createSessions().find(id)).toMatchObject({ id, version: '2025-06-18', clientName: 'Zoë’s agent', logLevel: 'info' });
  });

  it('keep what they were told', () => {
    const sessions = createSessions();
    const session = sessions.open('2025-11-25', null);
    session.logLevel = 'error';
    expect(sessions.find(session.id)?.logLevel).toBe('error');
  });

  it.each([
    '',
    'x',
    '00000000-0000-4000-8000-000000000000',
    '00000000-0000-4000-8000-000000000000.e30',
    '00000000-0000-4000-8000-000000000000.%%%',
  ])('are not made of %j', (id) => expect(createSessions().find(id)).toBeNull());

  it('are not made of a version that was never served', () => {
    const facts = Buffer.from('["1999-01-01","x"]').toString('base64url');
    expect(createSessions().find(`00000000-0000-4000-8000-000000000000.${facts}`)).toBeNull();
  });

  it('end once and for all, and their calls with them', () => {
    const sessions = createSessions();
    const session = sessions.open('2025-11-25', 'one');
    const cancel = vi.fn<() => void>();
    session.calls.set(1, { cancel });
    sessions.end(session);
    expect(cancel).toHaveBeenCalledOnce();
    expect(sessions.find(session.id)).toBeNull();
  });

  it('are forgotten when they are many, those unused longest first, but none that is at work', () => {
    const sessions = createSessions(2);
    const busy = sessions.open('2025-11-25', 'busy');
    busy.calls.set(1, { cancel: () => undefined });
    const idle = sessions.open('2025-11-25', 'idle');
    idle.logLevel = 'error';
    sessions.open('2025-11-25', 'new');
    expect([...sessions.all()].map(({ clientName }) => clientName)).toEqual(['busy', 'new']);
    expect(sessions.find(idle.id)).toMatchObject({ clientName: 'idle', logLevel: 'info' });
  });
});
