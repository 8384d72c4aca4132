import { afterAll, beforeAll, expect, test } from 'vitest';
import { must, OF_SQLITE, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { cookieOf, founder, TEAM, type Teammate } from '#lib/testing/team.ts';
import { adminLinkCommand } from './admin-link.ts';
import { runCommand } from './command-for-tests.ts';

let living: LivingHost;
let admin: Teammate;
beforeAll(async () => {
  living = await startHost({}, { team: TEAM, ...OF_SQLITE });
  admin = await founder(living.host);
});
afterAll(() => living.remove());

const CALLER = { address: null, network: '', origin: 'http://localhost' };
const run = (args: readonly string[] = [], env: Readonly<Record<string, string>> = { DATA_DIR: 'data' }) =>
  runCommand(adminLinkCommand, args, { cwd: living.folder, env });

async function secretOf(env?: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout } = await run([], env);
  expect(code).toBe(0);
  return stdout.trim().split('#')[1] ?? '';
}

function joining() {
  const { accounts } = living.host;
  if (accounts === null) throw new Error('there are no accounts');
  return accounts;
}

test('prints a link with the address of the server', async () => {
  expect((await run()).stdout).toMatch(/^http:\/\/localhost:3000\/join#[\w-]{43}\n$/);
  const env = { DATA_DIR: 'data', PUBLIC_URL: 'https://board.example.com/' };
  expect((await run([], env)).stdout).toMatch(/^https:\/\/board\.example\.com\/join#[\w-]{43}\n$/);
});

test('warns when accounts are not configured', async () => {
  expect(await run()).toMatchObject({ code: 0, stderr: expect.stringContaining('AUTH=team is not set here') });
  expect(await run([], { DATA_DIR: 'data', AUTH: 'local' })).toMatchObject({ code: 0, stderr: expect.stringContaining('AUTH=team') });
  expect(await run([], { DATA_DIR: 'data', AUTH: 'Team' })).toMatchObject({ code: 0, stderr: '' });
});

test('adds a new admin to a running server, once, and only with the newest link', async () => {
  const old = await secretOf();
  const secret = await secretOf();
  const { joining: desk } = joining();
  expect(await desk.look(old)).toMatchObject({ ok: false });
  expect(must(await desk.look(secret))).toMatchObject({ kind: 'recovery', role: 'admin', email: null, invited_by: null });
  const person = { secret, name: 'Second Admin', email: 'second@example.com', password: 'long enough for this' };
  expect(must(await desk.join(person, null, CALLER)).view.person).toMatchObject({ name: 'Second Admin', role: 'admin' });
  expect(await desk.join(person, null, CALLER)).toMatchObject({ ok: false, problem: { code: 'invitation_invalid' } });
});

test('resets the password of an admin, and ends all their sessions', async () => {
  const secret = await secretOf();
  const accounts = joining();
  const person = { secret, name: admin.name, email: admin.email, password: 'another one that is long' };
  const { view, cookies } = must(await accounts.joining.join(person, null, CALLER));
  expect(view.person).toMatchObject({ id: admin.id, role: 'admin' });
  expect(await accounts.memberOf(admin.cookie)).toBeNull();
  expect(await accounts.memberOf(cookieOf(cookies))).toMatchObject({ id: admin.id });
  const again = { email: admin.email, password: person.password };
  expect(await accounts.sessions.signIn(again, null, CALLER)).toMatchObject({ ok: true });
  const page = must(await accounts.audit.list({ action: 'team.recovered', limit: 10 }));
  expect(page.entries.map(({ target }) => target)).toContain(admin.name);
});

test('reports missing settings, and changes nothing', async () => {
  expect(await run([], { DATA_DIR: 'nowhere' })).toMatchObject({ code: 3, stderr: expect.stringContaining('There is no database') });
  expect(await run(['anna'])).toMatchObject({ code: 2 });
});
