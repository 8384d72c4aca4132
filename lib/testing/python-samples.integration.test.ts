import { cpSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LivingHost, must, startHost } from './living-host.ts';

const samples = path.join(path.dirname(path.dirname(import.meta.dirname)), 'docs/samples');
let living: LivingHost;

beforeAll(async () => {
  living = await startHost();
  for (const sample of ['python-words', 'tools/plan_trip.py'])
    cpSync(path.join(samples, sample), path.join(living.folder, 'extensions', sample), { recursive: true });
  await living.reload();
});
afterAll(() => living.remove());

it.each(['list_words', 'plan_trip'])('the sample %s gets no warnings', (name) => {
  expect(must(living.host.tools.get(name))).toMatchObject({ available: true, warnings: [] });
});

it('the samples behave as the page says', async () => {
  expect(await living.call('list_words', { text: 'the more the merrier', most: 1 })).toMatchObject({
    result: [{ word: 'the', times: 2 }],
    logs: [{ message: 'counted', data: { words: 4 } }],
  });
  expect((await living.call('list_words', { text: 'a b c d' })).result).toHaveLength(3);
  expect(await living.call('list_words', { text: '…' })).toMatchObject({ error: { kind: 'invalid_parameters' } });
  const stays = [{ city: 'Oslo', nights: 2 }, { city: 'Bergen' }];
  expect((await living.call('plan_trip', { start: '2026-12-30', stays })).result).toEqual({ Oslo: '2026-12-30', Bergen: '2027-01-02' });
});
