import { test as base } from './harness/test.ts';
import { expect } from './harness/expect.ts';
import { expectAccessible } from './harness/accessible.ts';
import { SERVER_DOWN } from './harness/page-watch.ts';
import { startTwoInstances } from './harness/two-instances.ts';
import type { TwoInstances } from './harness/two-instances.ts';

const test = base.extend<object, { two: TwoInstances }>({
  two: [
    async ({}, use) => {
      const two = await startTwoInstances({ shipped: ['math'], fixtures: [], env: {} });
      await use(two);
      await two.remove();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  server: async ({ two }, give) => give({ ...two.instances[0], address: two.address }),
});

test('two instances behind a proxy act as one Switchboard, and a stopped one is shown as gone', async ({ page, two, watch }) => {
  const table = page.getByRole('region', { name: 'Instances', exact: true });
  const rows = table.getByRole('row').filter({ has: page.getByRole('link') });
  const ids: string[] = [];

  await test.step('the page lists both', async () => {
    await page.goto('/');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Instances' }).click();
    await expect(page.getByRole('heading', { name: 'Instances', level: 1 })).toBeVisible();
    await expect(page.getByText('2 of 2 ready')).toBeVisible();
    await expect(rows).toHaveCount(2);
    ids.push(...(await rows.getByRole('link').allTextContents()));
    expect(new Set(ids).size).toBe(2);
    await expect(table.getByText('Serves this page')).toHaveCount(1);
  });

  await test.step('each call names its instance, and the list filters by it', async () => {
    const called = [];
    for (const instance of two.instances) called.push(await instance.call('calculate_expression', { expression: '6 * 7' }));
    expect(new Set(called.map(({ instance }) => instance))).toEqual(new Set(ids));
    const [first] = called;
    if (first?.instance == null) throw new Error('The call names no instance.');

    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto('/calls');
    await expect(page.getByRole('columnheader', { name: 'Instance' })).toBeVisible();
    for (const id of ids) await expect(page.getByRole('cell', { name: id })).toBeVisible();
    await page.goto(`/calls/${first.id}`);
    await page.getByRole('link', { name: first.instance }).click();
    await expect(page).toHaveURL(/\/calls\?instance=/);
    await expect(page.getByText('1 call in total')).toBeVisible();
    await expect(page.getByRole('button', { name: /Instance/ })).toBeVisible();
  });

  await test.step('two saves of one file are a conflict, which a person resolves', async () => {
    const greeter = (words: string) => `export const TOOL = {
  label: 'Greeting', name: 'greet_people', description: 'Greets people.', parameters: {}, execute: () => '${words}',
};
`;
    const [first, second] = two.instances;
    await first.save('greeter/extension.ts', greeter('base'));
    await expect(async () => expect(await second.call('greet_people')).toMatchObject({ result: 'base' })).toPass();
    await Promise.all([
      first.save('greeter/extension.ts', greeter('from the first')),
      second.save('greeter/extension.ts', greeter('from the second')),
    ]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto('/extensions/greeter');
    const conflict = page.getByRole('region', { name: 'Conflict in greeter/extension.ts' });
    await expect(conflict).toBeVisible();
    const versions = conflict.getByRole('table', { name: 'Both versions of greeter/extension.ts' });
    for (const words of ['from the first', 'from the second']) await expect(versions).toContainText(words);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    const added = await versions.getByText('added:').locator('..').textContent();
    await conflict.getByRole('button', { name: 'Use other version' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Use other version' }).click();
    await expect(conflict).toBeHidden();
    const chosen = added?.includes('from the first') === true ? 'from the first' : 'from the second';
    for (const instance of two.instances)
      await expect(async () => expect(await instance.call('greet_people')).toMatchObject({ result: chosen })).toPass();
  });

  await test.step('a stopped instance is shown as gone, and the other keeps serving', async () => {
    watch.expect(SERVER_DOWN);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto('/instances');
    await expect(page.getByText('2 of 2 ready')).toBeVisible();
    await two.instances[1].stop();
    await expect(page.getByText('1 of 1 ready')).toBeVisible();
    const gone = page.getByRole('region', { name: 'Instances that are gone' });
    await expect(gone.getByRole('row').filter({ hasText: 'Gone' })).toHaveCount(1);
    await expect(rows).toHaveCount(1);
    expect(await two.instances[0].call('calculate_expression', { expression: '1 + 1' })).toMatchObject({ status: 'succeeded' });
    await expectAccessible(page);
  });
});
