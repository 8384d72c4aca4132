import { createHmac } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { admin, ask, cookieOf, invited, living, may, served, signIn, startAttackedTeam, TEAM } from '#lib/testing/team.ts';
import { FROM_ANOTHER_SITE } from '#lib/testing/visit.ts';
import { SESSION_COOKIE } from './session-cookie.ts';

startAttackedTeam();

test('signs in and out with a cookie that scripts cannot read and other hosts cannot set', async () => {
  const { email, password, name, id } = await invited(living.host, admin, 'viewer', 'Vera Viewer');
  const answer = await signIn(` ${email.toUpperCase()} `, password);
  expect(answer.json).toMatchObject({ mode: 'team', person: { id, name, email, initials: 'VV', role: 'viewer' } });
  expect(answer.setCookies).toEqual([
    expect.stringMatching(/^__Host-switchboard=\S+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
  ]);
  expect(answer.header('cache-control')).toBe('no-store');
  const cookie = cookieOf(answer.setCookies);
  expect(await may(cookie)).toBe(200);
  const out = await ask('/api/v1/session', { method: 'DELETE', cookie });
  expect([out.status, out.json]).toEqual([200, { ended: 1 }]);
  expect(out.setCookies).toEqual(['__Host-switchboard=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax']);
  expect(await may(cookie)).toBe(401);
});

test('records the name of a member who also sends the admin token', async () => {
  const { cookie } = await invited(living.host, admin, 'viewer', 'Kay Holder');
  const headers = { 'x-admin-token': 'the admin token of this server' };
  const put = (more: object) => ask('/api/v1/toolsets/named', { method: 'PUT', body: { tools: [] }, ...more });
  expect((await put({ cookie })).status).toBe(403);
  expect((await put({ headers, cookie })).json).toMatchObject({ updated_by: 'Kay Holder' });
  expect((await put({ headers })).json).toMatchObject({ updated_by: 'admin token' });
  await vi.waitFor(async () => {
    const { json } = await ask('/api/v1/audit?action=toolsets.write', { cookie: admin.cookie });
    const actors = [{ name: 'admin token' }, { name: 'Kay Holder' }].map((actor) => ({
      actor: { kind: 'key', ...actor },
      outcome: 'done',
    }));
    expect(json).toMatchObject({ entries: [...actors, { outcome: 'refused' }] });
  });
});

describe('a session', () => {
  test('is new after each sign-in, regardless of the previous cookie', async () => {
    const { email, password, cookie: before } = await invited(living.host, admin, 'viewer', 'Fixed Session');
    const answer = await signIn(email, password, { cookie: before });
    const after = cookieOf(answer.setCookies);
    expect(after).not.toBe(before);
    expect([await may(after), await may(before)]).toEqual([200, 401]);
  });

  test('is never adopted from a planted cookie', async () => {
    const victim = await invited(living.host, admin, 'viewer', 'Vic Tim');
    const planted = `${SESSION_COOKIE}=${'a'.repeat(32)}.planted`;
    const answer = await signIn(victim.email, victim.password, { cookie: planted });
    expect(cookieOf(answer.setCookies)).not.toContain('a'.repeat(32));
    expect(await may(planted)).toBe(401);
  });

  test.each([
    ['not signed', (token: string) => token],
    ['signed with an empty signature', (token: string) => `${token}.`],
    [
      'signed with another secret',
      (token: string) => `${token}.${createHmac('sha256', 'another secret').update(token).digest('base64url')}`,
    ],
    [
      'signed with the raw secret, as other programs do',
      (token: string) =>
        `${token}.${createHmac('sha256', TEAM.secret ?? '')
          .update(token)
          .digest('base64url')}`,
    ],
    ['cut off', (token: string) => token.slice(0, -1)],
  ])('is rejected when the cookie from another port is %s', async (_, forge) => {
    const token = admin.cookie.slice(SESSION_COOKIE.length + 1).split('.')[0] ?? '';
    expect(await may(admin.cookie)).toBe(200);
    expect(await may(`${SESSION_COOKIE}=${forge(token)}`)).toBe(401);
  });

  test('is found beside a cookie of the same name from another port', async () => {
    expect(await may(`${SESSION_COOKIE}=tossed; other=1; ${admin.cookie}`)).toBe(200);
  });

  test('is refused for a page of another port or site, although the browser sends the cookie', async () => {
    for (const site of ['same-site', 'cross-site']) {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
      expect((await ask('/api/v1/extensions', { cookie: admin.cookie, headers })).status).toBe(403);
      const write = await ask('/api/v1/sessions', { method: 'DELETE', cookie: admin.cookie, headers: { origin: 'http://localhost:4000' } });
      expect([write.status, write.header('access-control-allow-origin')]).toEqual([403, null]);
    }
    const form = await ask('/api/v1/session', {
      method: 'POST',
      headers: { ...FROM_ANOTHER_SITE, 'content-type': 'application/x-www-form-urlencoded', origin: 'null' },
    });
    expect(form.status).toBe(403);
    expect(await may(admin.cookie)).toBe(200);
  });

  test('is invalid after signing out everywhere, also with a copied cookie', async () => {
    const { email, password, cookie: stolen } = await invited(living.host, admin, 'operator', 'Stolen Cookie');
    const own = cookieOf((await signIn(email, password)).setCookies);
    expect([await may(stolen), await may(own)]).toEqual([200, 200]);
    expect((await ask('/api/v1/sessions', { method: 'DELETE', cookie: own })).json).toEqual({ ended: 2 });
    expect([await may(stolen), await may(own)]).toEqual([401, 401]);
  });

  test('loses the permissions that its member loses from the next request on, and its streams end immediately', async () => {
    const author = await invited(living.host, admin, 'author', 'Lowered Author');
    const reload = () => ask('/api/v1/extensions/reload', { method: 'POST', cookie: author.cookie, body: {} });
    expect((await reload()).status).toBe(200);
    const events = await fetch(`${served.url}/api/v1/events`, { headers: { cookie: author.cookie } });
    const ended = events.text();
    const lowered = await ask(`/api/v1/members/${author.id}`, { method: 'PATCH', cookie: admin.cookie, body: { role: 'viewer' } });
    expect(lowered.json).toMatchObject({ role: 'viewer' });
    expect((await reload()).status).toBe(401);
    expect(await ended).toContain('retry:');
    const again = cookieOf((await signIn(author.email, author.password)).setCookies);
    expect((await ask('/api/v1/extensions/reload', { method: 'POST', cookie: again, body: {} })).status).toBe(403);
  });
});

describe('the existence of an account', () => {
  test('is not revealed by a sign-in: unknown, inactive and wrong get the same answer, and a password is hashed for each', async () => {
    const inactive = await invited(living.host, admin, 'viewer', 'Inactive Person');
    await ask(`/api/v1/members/${inactive.id}`, { method: 'PATCH', cookie: admin.cookie, body: { active: false } });
    expect(await may(inactive.cookie)).toBe(401);
    const answers = await Promise.all([
      signIn('nobody@example.com', 'some long password'),
      signIn(admin.email, 'some long password'),
      signIn(inactive.email, inactive.password),
      signIn('no address at all', 'some long password'),
    ]);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.json).toMatchObject({
      status: 401,
      code: 'sign_in_failed',
      detail: 'The e-mail address or password is wrong, or the account is inactive.',
    });
    expect(answers.flatMap(({ setCookies }) => setCookies)).toEqual([]);
  });

  test('is not revealed by the rate limit, which counts unknown accounts too', async () => {
    for (const email of ['unknown@example.com', (await invited(living.host, admin, 'viewer', 'Counted Person')).email]) {
      // Concurrently: on a slow machine sequential attempts could exceed the ten seconds.
      const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(email, 'a wrong password')));
      expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['401', '401', '401', '429']);
    }
  });
});

test('attempts on many accounts from one address or IPv6 network are limited, with the waiting time', async () => {
  const from = (client: number) => ({ from: `2001:db8:1:2::${client}` });
  const answers = await Promise.all([1, 2, 3, 4].map((client) => signIn(`person${client}@example.com`, 'wrong', from(client))));
  const waiting = answers.filter(({ status }) => status === 429);
  expect([answers.length, waiting.map(({ json }) => json['code'])]).toEqual([4, ['too_many_attempts']]);
  expect(Number(waiting[0]?.header('retry-after'))).toBeGreaterThan(0);
  expect((await signIn('person4@example.com', 'wrong', { from: '2001:db8:1:3::4' })).status).toBe(401);
});

describe('a password', () => {
  test.each([
    ['short', 'only-eleven'],
    ['longer than is hashed', 'x'.repeat(257)],
    ['the name', 'Weak Password'],
    ['the e-mail address', 'weak.password@example.com'],
    ['a common one', 'password123456'],
    ['one repeated character', 'aaaaaaaaaaaaaaaa'],
  ])('is refused when it is %s', async (_, password) => {
    const invitation = await ask('/api/v1/invitations', { method: 'POST', cookie: admin.cookie, body: { role: 'viewer' } });
    const [, secret] = String(invitation.json['link']).split('#');
    const body = { secret, name: 'Weak Password', email: 'weak.password@example.com', password };
    const joined = await ask('/api/v1/join', { method: 'POST', body });
    expect([joined.status, joined.json['code']]).toEqual([422, 'password_weak']);
    expect(joined.text).not.toContain(password);
  });

  test('is stored as a scrypt hash, and is in no log, no response and nowhere else in the database', async () => {
    const person = await invited(living.host, admin, 'viewer', 'Secret Keeper');
    const [kept] = await living.rows(`select password from member_credentials where member_id = '${person.id}'`);
    expect(kept).toEqual({ password: expect.stringMatching(/^[0-9a-f]{32}:[0-9a-f]{128}$/) });
    await signIn(person.email, 'a wrong password, typed');
    const log = living.log.join('\n');
    const audit = (await ask('/api/v1/audit?limit=200', { cookie: admin.cookie })).text;
    for (const secret of [person.password, 'a wrong password, typed', TEAM.secret ?? '', person.cookie.split('.')[1] ?? ''])
      for (const place of [log, audit]) expect(place).not.toContain(secret);
    expect(audit).toContain('"session.signed_in"');
  });

  test('can be changed with the current password, which ends all other sessions', async () => {
    const { email, password, cookie } = await invited(living.host, admin, 'viewer', 'Changed Mind');
    const other = cookieOf((await signIn(email, password)).setCookies);
    const change = (current: string, next: string) => ask('/api/v1/profile/password', { method: 'POST', cookie, body: { current, next } });
    expect((await change('not the present one', 'a new and longer one')).json).toMatchObject({ code: 'sign_in_failed' });
    expect((await change(password, 'too short')).json).toMatchObject({ code: 'password_weak' });
    const changed = await change(password, 'a new and longer one');
    expect(changed.status).toBe(200);
    expect([await may(cookieOf(changed.setCookies)), await may(cookie), await may(other)]).toEqual([200, 401, 401]);
    expect((await signIn(email, password)).status).not.toBe(200);
  });
});

test('the last admin keeps the role, and can still sign in', async () => {
  for (const body of [{ role: 'viewer' }, { active: false }]) {
    const answer = await ask(`/api/v1/members/${admin.id}`, { method: 'PATCH', cookie: admin.cookie, body });
    expect([answer.status, answer.json['code']]).toEqual([409, 'state_conflict']);
  }
  expect(await may(admin.cookie)).toBe(200);
});

test('health shows an anonymous client the status only', async () => {
  expect((await ask('/healthz')).json).toEqual({ status: 'ok', ready: true });
  expect((await ask('/healthz', { cookie: admin.cookie })).json).toMatchObject({ status: 'ok', isolation: expect.anything() });
  expect((await ask('/metrics')).status).toBe(401);
});

describe('a page', () => {
  test.each([
    ['/calls?status=failed', '/sign-in?to=%2Fcalls%3Fstatus%3Dfailed'],
    ['/extensions/tools%2Fget_weather?_rsc=1x2y', '/sign-in?to=%2Fextensions%2Ftools%252Fget_weather'],
    ['/', '/sign-in'],
  ])('%s redirects an anonymous client to the sign-in page and back', async (path, location) => {
    const answer = await ask(path);
    expect([answer.status, answer.location, answer.header('cache-control')]).toEqual([303, location, 'no-store']);
  });

  test.each(['//evil.example', '/\\evil.example', '/%5cevil.example', '/..//evil.example'])(
    '%s does not redirect to another site',
    async (path) => {
      const answer = await ask(path);
      expect([answer.status, answer.location]).toEqual([400, null]);
    },
  );
});

test('x-actor never changes the name of a member', async () => {
  const operator = await invited(living.host, admin, 'operator', 'Real Name');
  const answer = await ask('/api/v1/tools/none/call', {
    method: 'POST',
    cookie: operator.cookie,
    body: {},
    headers: { 'x-actor': 'Somebody Else' },
  });
  expect(answer.status).toBe(404);
  const view = await ask('/api/v1/session', { cookie: operator.cookie, headers: { 'x-actor': 'Somebody Else' } });
  expect(view.json['person']).toMatchObject({ name: 'Real Name' });
});
