import { describe, expect, it } from 'vitest';
import { ACTIONS } from '#lib/contract/actions.ts';
import type { Action } from '#lib/contract/actions.ts';
import { ROLE_NAMES } from '#lib/contract/roles.ts';
import { authorize } from './authorize.ts';
import { isAdministrative, LOCAL_ADMIN, LOCAL_PERSON } from './principal.ts';
import { OPEN, ROLES } from './roles.ts';

function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}

const all = Object.keys(ACTIONS).filter(isAction);

describe('roles', () => {
  it('each may all that the one before it may, and some more', () => {
    for (const [at, role] of ROLE_NAMES.slice(1).entries()) {
      const before = ROLES[ROLE_NAMES[at] ?? 'admin'];
      expect([...before].filter((action) => !ROLES[role].has(action))).toEqual([]);
      expect(ROLES[role].size).toBeGreaterThan(before.size);
    }
  });

  it('have every action in the end, and none that is not in the list', () => {
    expect([...ROLES.admin].toSorted()).toEqual(all.toSorted());
  });

  it('of a viewer only read', () => {
    expect([...ROLES.viewer].filter((action) => !OPEN.has(action) && !/\.(read|export|connect)$/.test(action))).toEqual([]);
  });
});

describe('a local person', () => {
  it('may do without the admin right what changes nothing that runs, erases nothing and opens no door', () => {
    expect(all.filter((action) => !authorize(LOCAL_PERSON, action, null).allowed)).toEqual([
      'extensions.reload',
      'extensions.restart',
      'extensions.switch',
      'extensions.pin',
      'extensions.edit',
      'checks.require',
      'saved_calls.erase',
      'channels.configure',
    ]);
  });

  it('may do everything with it', () => {
    expect(all.filter((action) => !authorize(LOCAL_ADMIN, action, null).allowed)).toEqual([]);
  });

  it.each(all)('is told in words what is missing for %s, or misses nothing', (action) => {
    const decision = authorize(LOCAL_PERSON, action, 'tools/x');
    expect(decision).toEqual(
      isAdministrative(action)
        ? { allowed: false, missing: `${ACTIONS[action]} (tools/x) needs the admin token of this server.` }
        : { allowed: true },
    );
  });

  it('is shown the beginning of a long name', () => {
    const decision = authorize(LOCAL_PERSON, 'extensions.restart', 'x'.repeat(5_000));
    expect(decision).toMatchObject({ missing: expect.stringMatching(/^Restarting an extension \(x{100}\) needs/) });
  });
});

it('denies what no role has, whoever asks', () => {
  const unlisted = 'calls.rewrite';
  for (const person of [LOCAL_PERSON, LOCAL_ADMIN])
    // @ts-expect-error An action that is not in the list does not compile.
    expect(authorize(person, unlisted, null)).toEqual({ allowed: false, missing: 'Nobody may do this here.' });
});
