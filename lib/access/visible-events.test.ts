import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '#lib/contract/event-types.ts';
import type { HostEvent } from '#lib/contract/events.ts';
import { ROLE_NAMES } from '#lib/contract/actions.ts';
import { LOCAL_PERSON, type Principal } from './principal.ts';
import { visibleEvents } from './visible-events.ts';

const events: readonly HostEvent[] = EVENT_TYPES.flatMap((type, at) =>
  ['rain', 'snow', undefined].map((tool) => ({ id: at, type, data: { snapshot_version: 1, ...(tool === undefined ? {} : { tool }) } })),
);

function seen(principal: Principal): string[] {
  const isVisible = visibleEvents(principal);
  return events.filter((event) => isVisible === null || isVisible(event)).map(({ type, data }) => `${type} ${data.tool ?? '-'}`);
}

const token = { kind: 'token', id: 't', name: 'nightly', ownerId: 'm', owner: 'Anna', role: 'admin', tools: null } as const;

describe('events', () => {
  it('are all visible without accounts, and are not inspected', () => {
    expect(visibleEvents(LOCAL_PERSON)).toBeNull();
  });

  it.each(ROLE_NAMES)('are visible to a %s who may read the record', (role) => {
    expect(seen({ kind: 'member', id: 'm', name: 'Anna', email: '', role, sessionId: 's' })).toHaveLength(events.length);
  });

  it('are hidden from those who may not read the record', () => {
    expect(seen({ kind: 'stranger' })).toEqual([]);
    expect(seen({ kind: 'key' })).toEqual([]);
  });

  it('of its tools, and resync events, are the only ones visible to a token for some tools', () => {
    expect(seen({ ...token, tools: new Set(['rain']) })).toEqual([
      'call.started rain',
      'call.progress rain',
      'call.log rain',
      'call.finished rain',
      'host.resync rain',
      'host.resync snow',
      'host.resync -',
    ]);
    expect(seen(token)).toHaveLength(events.length - 3);
  });

  it('about viewers of a failure are visible to people only', () => {
    expect(seen(token).filter((event) => event.startsWith('failure.presence'))).toEqual([]);
  });
});
