import { expect, test } from './harness/test.ts';

test.use({ serverOwner: 'own extensions', serverOptions: { shipped: ['math', 'shell'], fixtures: [], env: {} } });

const greeting = (word: string) => `export const TOOL = {
  label: 'Greeting', name: 'welcome_person', description: 'Greets a person.',
  parameters: { name: { type: 'string', required: true }, times: { type: 'integer', default: 1 } },
  execute: ({ name, times }, ctx) => { ctx.log.info('greeting ' + name); return { text: '${word}, ' + name, times }; },
};
`;

test('two calls are compared by arguments, outcome and log', async ({ page, server }) => {
  await server.save('welcomer/extension.ts', greeting('Hello'));
  await expect.poll(async () => (await server.call('welcome_person', { name: 'Ada' }).catch(() => null))?.status ?? null).toBe('succeeded');
  const first = await server.call('welcome_person', { name: 'Ada', times: 1 });
  const second = await server.call('welcome_person', { name: 'Grace', times: 3 });

  await test.step('the second call is chosen from the page of the first', async () => {
    await page.goto(`/calls/${first.id}`);
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.getByRole('link', { name: /Grace/ }).click();
    await expect(page.getByRole('heading', { name: 'Compare two calls' })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`a=${first.id}&b=${second.id}`));
  });

  await test.step('differences are marked', async () => {
    const args = page.getByRole('table', { name: 'Arguments' });
    await expect(args.getByRole('cell').filter({ hasText: /removed:.*"name": "Ada"/ })).toHaveCount(1);
    await expect(args.getByRole('cell').filter({ hasText: /added:.*"name": "Grace"/ })).toHaveCount(1);
    await expect(page.getByRole('table', { name: 'Outcome' })).toContainText('Hello, Grace');
    await expect(page.getByRole('table', { name: 'Log' })).toContainText('greeting Grace');
  });

  await test.step('the order of arguments makes no difference', async () => {
    const other = await server.call('welcome_person', { times: 1, name: 'Ada' });
    await page.goto(`/calls/compare?a=${first.id}&b=${other.id}`);
    await expect(page.getByText('Same arguments')).toBeVisible();
    await page.goBack();
  });

  await test.step('the sides can be swapped', async () => {
    await page.getByRole('link', { name: 'Swap' }).click();
    const args = page.getByRole('table', { name: 'Arguments' });
    await expect(args.getByRole('cell').filter({ hasText: /removed:.*"name": "Grace"/ })).toHaveCount(1);
  });
});

test('a call runs again on another revision, and both runs are compared', async ({ page, server }) => {
  await server.save('welcomer/extension.ts', greeting('Hello'));
  await expect.poll(async () => (await server.call('welcome_person', { name: 'Ada' }).catch(() => null))?.status ?? null).toBe('succeeded');
  const old = await server.call('welcome_person', { name: 'Ada' });
  await server.save('welcomer/extension.ts', greeting('Good evening'));
  await expect.poll(async () => (await server.call('welcome_person', { name: 'Ada' })).revision).toBeGreaterThan(old.revision ?? 0);

  await page.goto(`/calls/${old.id}`);
  await page.getByRole('button', { name: 'Run on another revision' }).click();
  await page.getByRole('menuitem', { name: /serving/ }).click();
  await expect(page.getByRole('heading', { name: 'Compare two calls' })).toBeVisible();
  await expect(page.getByText('Same arguments')).toBeVisible();
  const outcome = page.getByRole('table', { name: 'Outcome' });
  await expect(outcome.getByRole('cell').filter({ hasText: /added:.*Good evening, Ada/ })).toHaveCount(1);
  await page.goto(`/calls/${old.id}`);
  await expect(page.getByRole('list', { name: 'Replays' }).getByRole('listitem')).toHaveCount(1);
});

test('a comparison without calls, or with an unknown call, says so', async ({ page, watch }) => {
  watch.expect(/answer 404|status of 404/);
  await page.goto('/calls/compare');
  await expect(page.getByText('No calls selected')).toBeVisible();
  await page.goto('/calls/compare?a=nothing');
  await expect(page.getByText(/was not found/)).toBeVisible();
  await expect(page.getByRole('link', { name: 'Choose a call' })).toBeVisible();
});

test('long outcomes scroll separately, and nothing extends below the content of the page', async ({ page, server }) => {
  await server.save(
    'counter/extension.ts',
    `export const TOOL = { label: 'Counter', name: 'count_up', description: 'Counts up.', parameters: { by: { type: 'integer', required: true } },
       execute: ({ by }) => Array.from({ length: 400 }, (_, at) => at * by) };`,
  );
  await expect.poll(async () => (await server.call('count_up', { by: 1 }).catch(() => null))?.status ?? null).toBe('succeeded');
  const [one, two] = [await server.call('count_up', { by: 2 }), await server.call('count_up', { by: 3 })];
  await page.goto(`/calls/compare?a=${one.id}&b=${two.id}`);
  await expect(page.getByRole('table', { name: 'Outcome' })).toContainText('1197');
  const below = await page.evaluate<number>(
    `document.documentElement.scrollHeight - (scrollY + document.querySelector('main').getBoundingClientRect().bottom)`,
  );
  expect(below).toBeLessThanOrEqual(0);
});
