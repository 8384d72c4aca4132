import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';
import { type SharedPostgres, sharedPostgres } from '#lib/testing/test-database.ts';

const PATIENCE = { timeout: 30_000 };
const ADA = { name: 'Ada' };
const READS = `export const SECRETS = ['API_KEY'];
export const TOOL = { label: 'Test', name: 'read_key', description: 'Answers with the length of a secret.', parameters: {}, execute: () => process.env.API_KEY.length };
`;

let postgres: SharedPostgres;
let hosts: LivingHost[] = [];
beforeAll(async () => {
  postgres = await sharedPostgres();
});
afterAll(async () => {
  await Promise.all(hosts.map((living) => living.remove()));
  await postgres.close();
});

it('uses a secret and a toolset that another server on the same database changed', async () => {
  const database = { url: await postgres.createDatabase(), connections: 5, statementMs: 5_000, startMs: 0 };
  const change = { database, secretsKeys: ['k'.repeat(40)] };
  const first = await startHost({ 'reader/extension.ts': READS }, change);
  hosts = [first];
  const second = await startHost({ 'reader/extension.ts': READS }, change);
  hosts.push(second);
  expect(second.extension('reader')).toMatchObject({ state: 'failed', failure: { code: 'config_missing' } });

  must(await first.host.secrets.put('API_KEY', 'first-value-1', ADA));
  await expect.poll(() => second.extension('reader')?.state, PATIENCE).toBe('ready');
  expect((await second.call('read_key')).result).toBe(13);
  expect(second.host.secrets.list().secrets).toMatchObject([{ name: 'API_KEY', uses: ['reader'], updated_by: 'Ada' }]);
  must(await second.host.secrets.put('API_KEY', 'the-second-value-22', ADA));
  await expect.poll(async () => (await first.call('read_key')).result, PATIENCE).toBe(19);

  must(await first.host.toolsets.put('shared', { title: '', instructions: '', tools: [{ tool: 'read_key' }] }, ADA));
  await expect.poll(() => second.host.toolsets.list().toolsets.map(({ name }) => name), PATIENCE).toEqual(['shared']);

  must(await first.host.secrets.remove('API_KEY', ADA));
  await expect.poll(() => second.extension('reader')?.state, PATIENCE).toBe('failed');
});
