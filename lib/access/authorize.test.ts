import { describe, expect, it } from 'vitest';
import { type Action, ACTIONS, type Role, ROLE_NAMES } from '#lib/contract/actions.ts';
import { authorize } from './authorize.ts';
import { isAdministrative, LOCAL_ADMIN, LOCAL_PERSON, type Member, type TokenHolder } from './principal.ts';
import { OPEN, PERSONAL, ROLES } from './roles.ts';

function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}

const all = Object.keys(ACTIONS).filter(isAction);

describe('roles', () => {
  it('each include all actions of the previous one, and some more', () => {
    for (const [at, role] of ROLE_NAMES.slice(1).entries()) {
      const before = ROLES[ROLE_NAMES[at] ?? 'admin'];
      expect([...before].filter((action) => !ROLES[role].has(action))).toEqual([]);
      expect(ROLES[role].size).toBeGreaterThan(before.size);
    }
  });

  it('include every action, and no action outside of the list', () => {
    expect([...ROLES.admin].toSorted()).toEqual(all.toSorted());
  });

  it('viewer only reads', () => {
    const own = new Set([...OPEN, ...PERSONAL]);
    expect([...ROLES.viewer].filter((action) => !own.has(action) && !/\.(read|export|connect)$/.test(action))).toEqual([]);
  });
});

describe('a local person', () => {
  it('may do everything without the admin token that changes no running code, erases nothing and grants no access', () => {
    expect(all.filter((action) => !authorize(LOCAL_PERSON, action, null).allowed)).toEqual([
      'extensions.reload',
      'extensions.restart',
      'extensions.switch',
      'extensions.pin',
      'extensions.edit',
      'toolsets.write',
      'secrets.write',
      'checks.require',
      'saved_calls.erase',
      'members.manage',
      'tokens.manage',
      'audit.read',
      'channels.configure',
    ]);
  });

  it('may do everything with the admin token', () => {
    expect(all.filter((action) => !authorize(LOCAL_ADMIN, action, null).allowed)).toEqual([]);
  });

  it.each(all)('returns the missing permission for %s, or none', (action) => {
    const decision = authorize(LOCAL_PERSON, action, 'tools/x');
    expect(decision).toEqual(
      isAdministrative(action)
        ? { allowed: false, missing: `${ACTIONS[action]} (tools/x) needs the admin token of this server.` }
        : { allowed: true },
    );
  });

  it('sees a long name truncated', () => {
    const decision = authorize(LOCAL_PERSON, 'extensions.restart', 'x'.repeat(5_000));
    expect(decision).toMatchObject({ missing: expect.stringMatching(/^Restarting an extension \(x{100}\) needs/) });
  });
});

it('denies an unknown action for every principal', () => {
  const unlisted = 'calls.rewrite';
  for (const person of [LOCAL_PERSON, LOCAL_ADMIN])
    // @ts-expect-error An action that is not in the list does not compile.
    expect(authorize(person, unlisted, null)).toEqual({ allowed: false, missing: 'This action does not exist.' });
});

describe('a member', () => {
  const member = (role: Role): Member => ({ kind: 'member', id: 'm', name: 'Anna', email: 'anna@example.org', role, sessionId: 's' });

  it.each(ROLE_NAMES)('may do the actions of the role %s, and nothing else', (role) => {
    expect(all.filter((action) => authorize(member(role), action, null).allowed)).toEqual(all.filter((action) => ROLES[role].has(action)));
  });

  it('gets the required role and their own role in a denial', () => {
    expect(authorize(member('operator'), 'extensions.pin', 'weather')).toEqual({
      allowed: false,
      missing: 'Choosing the serving revision (weather) needs the role author; yours is operator. An admin of this server can change it.',
    });
  });
});

describe('a token', () => {
  const token = (role: Role, tools: readonly string[] | null): TokenHolder => ({
    kind: 'token',
    id: 't',
    name: 'nightly',
    ownerId: 'm',
    owner: 'Anna',
    role,
    tools: tools === null ? null : new Set(tools),
  });

  it('for some tools may list, read and call these tools', () => {
    expect(new Set(all.filter((action) => authorize(token('admin', ['rain']), action, 'rain').allowed))).toEqual(
      new Set([...OPEN, 'openapi.read', 'events.read', 'mcp.connect', 'tools.read', 'tools.call', 'tools.probe']),
    );
  });

  it.each(['tools.call', 'tools.probe'] as const)('for some tools is denied %s for another tool, and without a tool', (action) => {
    expect(authorize(token('admin', ['rain']), action, 'rain').allowed).toBe(true);
    for (const resource of ['Rain', 'rain ', 'snow', '', null])
      expect(authorize(token('admin', ['rain']), action, resource)).toMatchObject({
        allowed: false,
        missing: expect.stringContaining('is not allowed for the token "nightly", which is limited to other tools.'),
      });
  });

  it('for some tools may list these and read no other', () => {
    expect(authorize(token('viewer', ['rain']), 'tools.read', null).allowed).toBe(true);
    expect(authorize(token('viewer', ['rain']), 'tools.read', 'rain').allowed).toBe(true);
    expect(authorize(token('viewer', ['rain']), 'tools.read', 'snow').allowed).toBe(false);
  });

  it('never acts as a person and never creates tokens, regardless of its role', () => {
    const may = all.filter((action) => authorize(token('admin', null), action, null).allowed);
    expect(all.filter((action) => !may.includes(action)).toSorted()).toEqual([...PERSONAL, 'members.manage', 'tokens.manage'].toSorted());
  });

  it.each(['viewer', 'admin'] as const)('is denied with the role %s because a person is required', (role) => {
    for (const action of [...PERSONAL, 'members.manage', 'tokens.manage'] as const)
      expect(authorize(token(role, null), action, null)).toMatchObject({
        allowed: false,
        missing: expect.stringMatching(/ needs a signed-in person; a token cannot do it\.$/),
      });
  });

  it('for some tools needs the role as well', () => {
    expect(authorize(token('viewer', ['rain']), 'tools.call', 'rain')).toEqual({
      allowed: false,
      missing: 'Calling a tool (rain) needs the role operator; the token "nightly" has viewer.',
    });
  });
});

describe('the admin token of a team without a member', () => {
  it('may administer extensions, but not read, call or manage accounts', () => {
    const may = all.filter((action) => authorize({ kind: 'key' }, action, null).allowed);
    expect(may).toEqual(expect.arrayContaining(['extensions.reload', 'extensions.edit', 'saved_calls.erase', 'health.read']));
    expect(may.filter((action) => /^(?:tools|calls|failures|events)\.|^pages\.read$/.test(action))).toEqual([]);
    expect(may.filter((action) => /^(?:tokens|members|audit|profile)\./.test(action))).toEqual([]);
  });
});

describe('an anonymous client', () => {
  it('may use public actions, and is asked to sign in for others', () => {
    expect(new Set(all.filter((action) => authorize({ kind: 'stranger' }, action, null).allowed))).toEqual(OPEN);
    expect(authorize({ kind: 'stranger' }, 'tools.call', 'rain')).toEqual({
      allowed: false,
      missing: 'Calling a tool (rain) needs an account with the role operator. Sign in, or send an API token.',
    });
  });
});
