import path from 'node:path';
import { expectAccessible } from './harness/accessible.ts';
import { expect, test } from './harness/test.ts';
import { openExtension, openPlace, openTool, runButton } from './harness/walk.ts';

test.use({ serverOptions: { shipped: [], fixtures: [], env: {} } });

const SERVER = path.resolve(import.meta.dirname, '../lib/testing/fixtures/apps-mcp-server.mjs');

test.beforeEach(async ({ server }) => {
  await server.save('apps/mcp.json', JSON.stringify({ command: 'node', args: [SERVER] }));
});

test('the app of a tool runs beside its result, and calls tools of its server', async ({ page, server, watch }) => {
  // What the app tries against its frame, and axe, which cannot enter it.
  watch.expect(/content security policy|Blocked a frame|violates|sandboxed|target origin provided/i);
  await page.goto('/');
  await openTool(page, 'apps__show_counter');
  await runButton(page).click();
  const app = page.frameLocator('iframe[title="App of apps__show_counter"]');

  await test.step('it shows the result of the call', async () => {
    await expect(app.getByText('Count: 0')).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('a tool of its server runs at once, and is in the history', async () => {
    await app.getByRole('button', { name: 'Add one' }).click();
    await expect(app.getByText('Count: 1')).toBeVisible();
    const calls = await (await fetch(`${server.address}/api/v1/calls?tool=apps__add`)).json();
    expect(calls).toMatchObject({ calls: [{ status: 'succeeded', source: 'web' }] });
  });

  await test.step('the person is asked before a destructive one', async () => {
    await app.getByRole('button', { name: 'Clear' }).click();
    const question = page.getByRole('alertdialog');
    await expect(question).toContainText('apps__clear');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(app.locator('#said')).toContainText('refused');
    await expect(app.getByText('Count: 1')).toBeVisible();
    await app.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Call' }).click();
    await expect(app.getByText('Count: 0')).toBeVisible();
  });

  await test.step('it reaches neither the page, nor storage, nor the API', async () => {
    await app.getByRole('button', { name: 'Break out' }).click();
    await expect(app.locator('#said')).toHaveText('rejected rejected rejected');
  });
});

test('an app is there from the beginning of a call to its end, whatever that is', async ({ page, watch }) => {
  watch.expect(/content security policy|Blocked a frame|violates|sandboxed|target origin provided/i);
  await page.goto('/');
  await openTool(page, 'apps__wait_for_add');
  await expect(page.getByText('Run the tool to see its app and result.')).toBeVisible();
  await page.getByRole('textbox', { name: 'label' }).fill('tea');
  await runButton(page).click();
  const app = page.frameLocator('iframe[title="App of apps__wait_for_add"]');

  await test.step('it has the arguments while the call runs', async () => {
    await expect(app.locator('#said')).toHaveText('{"label":"tea"}');
    await expect(app.getByText('Count: –')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Cancel' })).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('it gets the result that it has brought about', async () => {
    await app.getByRole('button', { name: 'Add one' }).click();
    await expect(app.getByText('Count: 1')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Cancel' })).toBeHidden();
    await expect(page.getByText('Succeeded').first()).toBeVisible();
  });

  await test.step('it learns that a call was cancelled', async () => {
    await runButton(page).click();
    await expect(app.locator('#said')).toHaveText('{"label":"tea"}');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(app.locator('#said')).toHaveText('cancelled');
  });
});

test('an app may still call tools when it is closed, because it asked for that or the person goes on', async ({ page, server, watch }) => {
  watch.expect(/content security policy|Blocked a frame|violates|sandboxed|target origin provided/i);
  let before = 0;
  const saved = async () => {
    const { calls } = (await (await fetch(`${server.address}/api/v1/calls?tool=apps__save&status=succeeded`)).json()) as {
      calls: unknown[];
    };
    return calls.length - before;
  };
  // Apps of the tests before were closed too.
  before = await saved();
  const frames = page.locator('iframe');
  await page.goto('/');
  await openTool(page, 'apps__show_counter');
  await runButton(page).click();
  const app = page.frameLocator('iframe[title="App of apps__show_counter"]');

  await test.step('it asks to be closed, and the person opens it again', async () => {
    await app.getByRole('button', { name: 'Close' }).click();
    await expect(page.getByText('The app closed itself.')).toBeVisible();
    await expect.poll(saved).toBe(1);
    await expect(frames, 'the frame is removed once the app has answered').toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Open it again' }).click();
    await expect(app.getByText(/Count: \d/)).toBeVisible();
  });

  await test.step('another call has another frame', async () => {
    await runButton(page).click();
    await expect.poll(saved).toBe(2);
    await expect(app.getByText(/Count: \d/)).toBeVisible();
    await expect(frames).toHaveCount(1);
  });

  await test.step('the person opens another page', async () => {
    await openPlace(page, 'Overview');
    await expect.poll(saved).toBe(3);
    await expect(frames).toHaveCount(0);
  });
});

test('a server and its tools show their icons', async ({ page }) => {
  await page.goto('/tools');
  const row = page.getByRole('link', { name: /apps__show_counter/ });
  await expect(row.locator('img')).toHaveAttribute('src', /^data:image\/svg\+xml/);
  await openExtension(page, 'apps');
  await expect(page.getByRole('heading', { name: 'apps', level: 1 }).locator('img')).toBeVisible();
  await expectAccessible(page);
});
