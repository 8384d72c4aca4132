import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Member } from '#lib/access/principal.ts';
import type { HostConfig } from '#lib/host/config.ts';
import { createHost } from '#lib/host/create-host.ts';
import { createLogger } from '#lib/host/logger.ts';
import { refuse } from '#lib/contract/result.ts';
import { saveCallSchema } from '#lib/contract/saved-call.ts';
import { type LivingHost, must, oneTool, refusal, startHost } from '#lib/testing/living-host.ts';
import { type SharedPostgres, sharedPostgres } from '#lib/testing/test-database.ts';

const SOON = { timeout: 15_000, interval: 20 };
const CALLER = { address: '127.0.0.1', network: '127.0.0.1', origin: 'http://127.0.0.1' };
const PASSWORD = 'a long enough passphrase 7';
const TEAM = { secret: 'the secret of both servers 0123456789', publicUrl: null, oidc: null };
let postgres: SharedPostgres;
let running: LivingHost[] = [];

beforeAll(async () => {
  postgres = await sharedPostgres();
});

afterEach(async () => {
  await Promise.all(running.map((living) => living.remove()));
  running = [];
});

afterAll(() => postgres.close());

async function two() {
  const change: Partial<HostConfig> = {
    team: TEAM,
    database: { url: await postgres.createDatabase(), connections: 5, statementMs: 5_000, startMs: 0 },
  };
  for (const _ of ['first', 'second']) running.push(await startHost({}, change));
  const [first, second] = running.map(({ host }) => host.accounts);
  if (first == null || second == null) throw new Error('accounts are on');
  return { first, second, change };
}

/** Its session cookie. */
async function joined(accounts: NonNullable<LivingHost['host']['accounts']>): Promise<string> {
  const link = await accounts.joining.firstAdminLink('http://127.0.0.1');
  const join = { secret: link?.split('#')[1] ?? '', name: 'Ada', email: 'ada@example.com', password: PASSWORD };
  const { cookies } = must(await accounts.joining.join(join, null, CALLER));
  return cookies[0]?.split(';')[0] ?? '';
}

it('revokes sessions and tokens on all servers immediately, and closes their streams', async () => {
  const { first, second } = await two();
  const cookie = await joined(first);
  const member = (await second.memberOf(cookie)) as Member;
  expect(member).toMatchObject({ kind: 'member', name: 'Ada', role: 'admin' });
  const made = must(
    await first.tokens.make({ name: 'script', role: 'viewer', tools: null, toolset: null, expires_in_days: 1 }, member, CALLER),
  );
  expect(await second.tokens.find(made.token)).toMatchObject({ kind: 'works' });
  const ended: unknown[] = [];
  second.onEnded((one) => ended.push(one));
  must(await first.tokens.revoke(made.id, member, CALLER));
  await vi.waitFor(() => expect(ended).toEqual([{ kind: 'token', tokenId: made.id }]), SOON);
  expect(await second.tokens.find(made.token)).toMatchObject({ kind: 'revoked' });
  await first.sessions.signOut(member, CALLER);
  await vi.waitFor(() => expect(ended.slice(1)).toEqual([{ kind: 'member', sessionId: member.sessionId }]), SOON);
  expect(await second.memberOf(cookie)).toBeNull();
});

it('accepts a link for the first admin once, on any server, and counts wrong passwords across servers', async () => {
  const { first, second } = await two();
  const other = (await second.joining.firstAdminLink('http://127.0.0.1'))?.split('#')[1] ?? '';
  await joined(first);
  expect(refusal(await second.joining.look(other)).code).toBe('invitation_invalid');
  const wrong = { email: 'ada@example.com', password: 'wrong' };
  const codes = [];
  for (const accounts of [first, second, first, second]) codes.push(refusal(await accounts.sessions.signIn(wrong, null, CALLER)).code);
  expect(codes).toEqual([...Array<string>(3).fill('sign_in_failed'), 'too_many_attempts']);
});

it.each<[string, Partial<HostConfig>]>([
  ['AUTH_SECRET', { team: { ...TEAM, secret: 'another secret 0123456789 abcdefgh' } }],
  ['SECRETS_KEY', { secretsKeys: ['another key'.repeat(4)] }],
])('refuses a start with a different %s than that of a running server', async (name, other) => {
  const { change } = await two();
  const [living] = running;
  if (living === undefined) throw new Error('a host was started');
  const { config } = living.host;
  const logger = createLogger({ level: 'error', readable: false, write: () => undefined });
  const made = await createHost({ ...config, ...change, dataDir: `${living.folder}/other`, ...other }, logger);
  expect(made).toEqual({
    ok: false,
    reason: expect.stringMatching(new RegExp(`^The instance \\S+ on this database .*Set ${name} to the same`)),
  });
  expect((await living.host.instances.list()).instances.filter(({ state }) => state !== 'gone')).toHaveLength(2);
});

it('starts with the key of the other servers and an additional one', async () => {
  const { change } = await two();
  const key = running[0]?.host.config.secretsKeys[0] ?? '';
  const added = await startHost({}, { ...change, secretsKeys: [key, 'a new key'.repeat(5)] });
  running.push(added);
  expect((await added.host.instances.list()).instances).toHaveLength(3);
});

it('reloads an extension when a secret that it uses is set on another server', async () => {
  const { change } = await two();
  const tool = `export const SECRETS = ['API_KEY'];
export const TOOL = { label: 'Key', name: 'key_length', description: 'Its length.', parameters: {}, execute: () => process.env.API_KEY?.length };`;
  const third = await startHost({ 'k/extension.ts': tool }, change);
  running.push(third);
  const [first] = running;
  must((await first?.host.secrets.put('API_KEY', '12345', { name: null })) ?? refuse('not_found', 'no host'));
  await vi.waitFor(async () => expect(await third.call('key_length')).toMatchObject({ status: 'succeeded', result: 5 }), {
    timeout: 30_000,
  });
  expect(third.host.secrets.list().secrets).toMatchObject([{ name: 'API_KEY', readable: true }]);
});

it('shows the people who view a failure on another server, and requires checks that were saved there', async () => {
  const { first } = await two();
  await joined(first);
  const [one, other] = running;
  if (one === undefined || other === undefined) throw new Error('two hosts were started');
  for (const living of running)
    await living.save({ 'a/extension.ts': 'export const TOOL = {', 'b/extension.ts': oneTool('checked_tool', 'one') });
  await vi.waitFor(
    async () => {
      for (const living of running) expect(living.extension('b')?.state).toBe('ready');
      expect(must(await other.host.failures.list({ limit: 5 })).groups).toHaveLength(1);
    },
    { timeout: 30_000 },
  );
  const [group] = must(await one.host.failures.list({ limit: 5 })).groups;
  const ada = { id: 'ada', name: 'Ada', sessionId: 's1' };
  const bob = { id: 'bob', name: 'Bob', sessionId: 's2' };
  must(await one.host.failures.attend(group?.id ?? '', ada, { page: 'page-of-ada', doing: 'writing' }));
  await vi.waitFor(async () => {
    const { people } = must(await other.host.failures.attend(group?.id ?? '', bob, { page: 'page-of-bob', doing: 'looking' }));
    expect(people).toMatchObject([{ name: 'Ada', doing: 'writing' }]);
  }, SOON);
  const expectation = { result_includes: { answer: 'one' } };
  must(
    await one.host.savedCalls.save(saveCallSchema.parse({ tool: 'checked_tool', name: 'right', expectation, required: true }), {
      name: 'Ada',
    }),
  );
  let tries = 0;
  await vi.waitFor(
    async () => {
      await other.save({ 'b/extension.ts': oneTool('checked_tool', `two ${(tries += 1)}`) });
      await other.reload(['b']);
      expect(other.extension('b')?.failure?.code).toBe('check_failed');
    },
    { timeout: 30_000, interval: 500 },
  );
});
