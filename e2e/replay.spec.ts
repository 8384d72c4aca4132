import { expect, test } from './harness/test.ts';
import { callRows, connection, openPage, runButton } from './harness/navigation.ts';

test.use({ serverOptions: { fixtures: ['workbench'], env: {} } });

const GONE = { type: 'about:blank', title: 'x', status: 404, code: 'tool_not_found', detail: 'There is no such tool.' };

test('a failed call is edited and replayed, and its replays are linked', async ({ page, server }) => {
  const wrong = await server.call('book_room', { guest: 'A', nights: 99, view: 'yard' }, { 'x-actor': 'a script' });
  await page.goto(`/calls/${wrong.id}`);

  await test.step('its page names every invalid argument and the actor', async () => {
    const main = page.getByRole('main');
    await expect(main).toContainText('Invalid arguments');
    await expect(main.getByText('guest', { exact: true })).toBeVisible();
    await expect(main.getByText('nights', { exact: true })).toBeVisible();
    await expect(main).toContainText('a script');
  });

  await test.step('its arguments fill the form, with errors at their fields', async () => {
    await page.getByRole('link', { name: 'Edit and replay' }).click();
    await expect(page.getByRole('heading', { name: 'book_room', level: 1 })).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'guest (required)' })).toHaveValue('A');
    await expect(page.getByRole('combobox', { name: 'view' })).toHaveValue('yard');
    await expect(page.getByRole('note').filter({ hasText: 'An edit of the call' })).toContainText('recorded as its replays');
    await runButton(page).click();
    await expect(page.getByText('2 values need attention:')).toBeVisible();
    await page.getByRole('textbox', { name: 'guest (required)' }).fill('Ada');
    await page.getByRole('textbox', { name: 'nights (required)' }).fill('9');
    await runButton(page).click();
    await expect(page.getByText(/^book_room: Succeeded/)).toBeAttached();
  });

  await test.step('the successful call is replayed unchanged', async () => {
    await page.getByRole('link', { name: 'Open call' }).click();
    await expect(page.getByRole('button', { name: 'Replay', exact: true })).toBeVisible();
    const first = page.url();
    await expect(page.getByRole('main').locator(`a[href="/calls/${wrong.id}"]`)).toContainText('Failed');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await expect(page).not.toHaveURL(first);
    await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('"runs": 2');
    await expect(page.getByRole('heading', { name: 'Replay of' })).toBeVisible();
    await page
      .getByRole('main')
      .locator(`a[href="${new URL(first).pathname}"]`)
      .click();
    await expect(page).toHaveURL(first);
    await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('"runs": 1');
    await expect(page.getByRole('list', { name: 'Replays' }).getByRole('link')).toHaveCount(1);
  });

  await test.step('keys move between calls', async () => {
    const first = page.url();
    await page.keyboard.press('k');
    await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('"runs": 2');
    await page.keyboard.press('k');
    await expect(page.getByText('No newer call')).toBeVisible();
    await page.keyboard.press('j');
    await expect(page).toHaveURL(first);
    await page.keyboard.press('j');
    await expect(page).toHaveURL(`/calls/${wrong.id}`);
  });
});

test('an edit survives a reload, and can be run as a separate call', async ({ page, server }) => {
  const call = await server.call('book_room', { guest: 'Ada', nights: 3 });
  await page.goto(`/tools/book_room?from=${call.id}`);
  const note = page.getByRole('note').filter({ hasText: 'An edit of the call' });
  await expect(note).toBeVisible();
  await expect(page).toHaveURL('/tools/book_room');
  await page.reload();
  await expect(note).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'guest (required)' })).toHaveValue('Ada');
  await page.getByRole('button', { name: 'Run as a separate call' }).click();
  await expect(note).toHaveCount(0);
  await runButton(page).click();
  await expect(page.getByText(/^book_room: Succeeded/)).toBeAttached();
  await page.getByRole('link', { name: 'Open call' }).click();
  await expect(page.getByRole('heading', { name: 'About this call' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Replay of' })).toHaveCount(0);
});

test('a destructive call asks for confirmation before a replay, and a call with secrets asks for them again', async ({
  page,
  server,
  watch,
}) => {
  await server.call('run_shell_command', { command: 'echo once more' });
  await server.call('open_safe', { table: 4, api_key: 'open sesame' });
  await server.call('book_room', { guest: 'Ada', nights: 1 });
  watch.expect(/answer 404|status of 404/);
  await page.goto('/calls');
  await expect(connection(page)).toHaveText('Live');

  await callRows(page).filter({ hasText: 'run_shell_command' }).getByRole('link').press('Enter');
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Run run_shell_command again?' });
  await expect(question).toContainText('echo once more');
  const asked = page.url();
  await question.getByRole('button', { name: 'Run run_shell_command' }).click();
  await expect(page).not.toHaveURL(asked);
  await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('"stdout": "once more\\n"');

  await test.step('it also asks when the tool cannot be loaded', async () => {
    await page.route(/\/api\/v1\/tools\/book_room$/, (route) =>
      route.fulfill({ status: 404, contentType: 'application/problem+json', body: JSON.stringify(GONE) }),
    );
    await openPage(page, 'Calls');
    await callRows(page).filter({ hasText: 'book_room' }).getByRole('link').first().click();
    const panel = page.getByRole('complementary', { name: 'The selected call' });
    await panel.getByRole('button', { name: 'Replay', exact: true }).click();
    const unknown = page.getByRole('alertdialog', { name: 'Run book_room again?' });
    await expect(unknown).toContainText('it may be destructive');
    await unknown.getByRole('button', { name: 'Cancel' }).click();
  });

  await openPage(page, 'Overview');
  await openPage(page, 'Calls');
  await callRows(page).filter({ hasText: 'open_safe' }).getByRole('link').press('Enter');
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const secrets = page.getByRole('dialog', { name: 'This call had secrets' });
  await expect(secrets).toContainText('api_key');
  await secrets.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Run on another revision' }).click();
  await expect(secrets).toBeVisible();
  await secrets.getByRole('link', { name: 'Open open_safe' }).click();
  await expect(page.getByRole('textbox', { name: 'table (required)' })).toHaveValue('4');
  await expect(page.getByLabel('api_key (required)')).toHaveValue('');
  await expect(page.getByText('The history does not store secrets')).toBeVisible();
});

test('an action that finishes after a navigation does not change the page', async ({ page, server }) => {
  await server.save('greeter/extension.ts', greeting('Hello'));
  await expect.poll(async () => (await server.call('greet_person').catch(() => null))?.status ?? null).toBe('succeeded');
  const old = await server.call('greet_person');
  await server.save('greeter/extension.ts', greeting('Good evening'));
  await expect.poll(async () => (await server.call('greet_person')).revision).toBeGreaterThan(old.revision ?? 0);
  const calls = page.getByRole('heading', { name: 'Calls', level: 1 });

  const cases: readonly [string, RegExp, () => Promise<void>][] = [
    ['a replay', /\/calls\/[^/]+\/replay$/, () => page.getByRole('button', { name: 'Replay', exact: true }).click()],
    [
      'a run on another revision',
      /\/calls\/[^/]+\/replay$/,
      async () => {
        await page.getByRole('button', { name: 'Run on another revision' }).click();
        await page.getByRole('menuitem', { name: /serving/ }).click();
      },
    ],
    ['a step to the older call', /\/api\/v1\/calls\?.*until=/, () => page.getByRole('button', { name: 'Older call' }).click()],
  ];
  for (const [what, asked, act] of cases) {
    await test.step(what, async () => {
      await page.goto(`/calls/${old.id}`);
      await expect(connection(page)).toHaveText('Live');
      const slow = Promise.withResolvers<void>();
      await page.route(asked, async (route) => {
        await slow.promise;
        await route.continue();
      });
      const sent = page.waitForRequest(asked);
      await act();
      await sent;
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Calls', exact: true }).click();
      await expect(calls).toBeVisible();
      const answered = page.waitForResponse(asked);
      slow.resolve();
      await (await answered).finished();
      // Leaves time for an unwanted navigation; the list loads with its own requests.
      await page.getByRole('textbox', { name: 'Search calls' }).fill('greet');
      await expect(page).toHaveURL(/\/calls\?q=greet$/);
      await expect(calls).toBeVisible();
      await page.unroute(asked);
    });
  }
});

test('the tool chosen last is shown, even if an earlier one is still loading', async ({ page, server }) => {
  const call = await server.call('book_room', { guest: 'Ada', nights: 3 });
  await page.goto('/tools/calculate_expression');
  await expect(runButton(page)).toBeEnabled();
  const slow = Promise.withResolvers<void>();
  await page.route(/\/tools\/(open_safe|get_weather)\?.*_rsc=/, async (route) => {
    await slow.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Show the list of tools' }).click();
  const tools = page.getByRole('main').getByRole('link');
  await tools.filter({ hasText: 'open_safe' }).click();
  await tools.filter({ hasText: 'get_weather' }).click();
  slow.resolve();
  await expect(page.getByRole('heading', { name: 'get_weather', level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/\/tools\/get_weather$/);
  await expect(page.getByRole('textbox', { name: 'city (required)' })).toBeVisible();

  await test.step('also when the first one opens with the arguments of a call', async () => {
    const later = Promise.withResolvers<void>();
    await page.route(/\/tools\/follow_steps\?.*_rsc=/, async (route) => {
      await later.promise;
      await route.continue();
    });
    await page.goto(`/calls/${call.id}`);
    await page.getByRole('link', { name: 'Edit and replay' }).click();
    await tools.filter({ hasText: 'follow_steps' }).click();
    await expect(page).toHaveURL(/\/tools\/book_room/);
    later.resolve();
    await expect(page.getByRole('heading', { name: 'follow_steps', level: 1 })).toBeVisible();
    await expect(page).toHaveURL(/\/tools\/follow_steps$/);
  });
});

function greeting(word: string): string {
  return `export const TOOL = {
  label: 'Greeter',
  name: 'greet_person',
  description: 'Greets.',
  parameters: {},
  execute() { return '${word}'; },
};
`;
}
