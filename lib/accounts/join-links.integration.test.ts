import { describe, expect, test } from 'vitest';
import { admin, ask, cookieOf, invited, living, may, signIn, startAttackedTeam } from '#lib/testing/team.ts';

startAttackedTeam();

describe('an invitation link', () => {
  test('works once, is shown once, and is stored as a hash', async () => {
    const made = await ask('/api/v1/invitations', {
      method: 'POST',
      cookie: admin.cookie,
      body: { role: 'operator', email: ' New@Example.com ' },
    });
    const [address = '', secret = ''] = String(made.json['link']).split('#');
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/join$/);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(await living.rows('select * from join_links'))).not.toContain(secret);
    expect((await ask('/api/v1/invitations', { cookie: admin.cookie })).text).not.toContain(secret);
    const look = await ask('/api/v1/join/look', { method: 'POST', body: { secret } });
    expect(look.json).toMatchObject({ kind: 'invitation', email: 'new@example.com', role: 'operator', invited_by: admin.name });

    const person = { secret, name: 'New Person', email: 'new@example.com', password: 'long enough for this' };
    const join = (change: object = {}) => ask('/api/v1/join', { method: 'POST', body: { ...person, ...change } });
    expect((await join({ email: 'other@example.com' })).json).toMatchObject({ code: 'state_conflict', field: 'email' });
    expect((await join({ name: 'Half \ud83d' })).json).toMatchObject({ code: 'body_fields_invalid' });
    expect((await join({ name: admin.name.toUpperCase() })).json).toMatchObject({ code: 'state_conflict', field: 'name' });
    const answers = await Promise.all([join(), join(), join()]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '410', '410']);
    expect((await ask('/api/v1/join/look', { method: 'POST', body: { secret } })).status).toBe(410);
  });

  test('is invalid once it is revoked', async () => {
    const made = await ask('/api/v1/invitations', { method: 'POST', cookie: admin.cookie, body: { role: 'admin' } });
    const { id } = Object(made.json['invitation']);
    const withdrawn = await ask(`/api/v1/invitations/${id}`, { method: 'DELETE', cookie: admin.cookie });
    expect(withdrawn.status).toBe(200);
    const [, secret] = String(made.json['link']).split('#');
    const joined = await ask('/api/v1/join', {
      method: 'POST',
      body: { secret, name: 'Too Late', email: 'late@example.com', password: 'long enough for this' },
    });
    expect([joined.status, joined.json['code']]).toEqual([410, 'invitation_invalid']);
    expect((await ask(`/api/v1/invitations/${id}`, { method: 'DELETE', cookie: admin.cookie })).json).toMatchObject({
      code: 'invitation_not_found',
    });
  });

  test('to the address of a member resets the password, and changes nothing else', async () => {
    const member = await invited(living.host, admin, 'operator', 'Forgetful Person');
    const invite = (body: object) => ask('/api/v1/invitations', { method: 'POST', cookie: admin.cookie, body });
    expect((await invite({ email: member.email, role: 'admin' })).json).toMatchObject({ code: 'state_conflict', field: 'email' });
    const join = (link: unknown) => {
      const [, secret] = String(link).split('#');
      const person = { name: member.name, email: member.email, password: 'the second one is long' };
      return ask('/api/v1/join', { method: 'POST', body: { secret, ...person } });
    };
    expect((await join((await invite({ role: 'admin' })).json['link'])).json).toMatchObject({ code: 'state_conflict', field: 'email' });
    const joined = await join((await invite({ email: member.email, role: 'operator' })).json['link']);
    expect(joined.json['person']).toMatchObject({ id: member.id, role: 'operator' });
    expect([await may(member.cookie), await may(cookieOf(joined.setCookies))]).toEqual([401, 200]);
    expect((await signIn(member.email, member.password)).status).toBe(401);
    expect((await signIn(member.email, 'the second one is long')).status).toBe(200);
  });

  test('of the first admin is invalid once a member has joined', async () => {
    expect(await living.host.accounts?.joining.firstAdminLink('http://localhost')).toBeNull();
  });
});
