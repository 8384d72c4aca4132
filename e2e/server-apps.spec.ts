import path from 'node:path';
import { expectAccessible } from './harness/accessible.ts';
import { expect, test } from './harness/test.ts';
import { openExtension, openPage, openTool, runButton } from './harness/navigation.ts';

test.use({ serverOwner: 'MCP servers', serverOptions: { shipped: [], fixtures: ['everything'], env: {} } });

const SERVER = path.resolve(import.meta.dirname, '../lib/testing/fixtures/apps-mcp-server.mjs');

test.beforeEach(async ({ server }) => {
  await server.save('apps/mcp.json', JSON.stringify({ command: 'node', args: [SERVER] }));
});

test('the app of a tool runs beside its result, and calls tools of its server', async ({ page, server, watch }) => {
  // Caused by the app, which tests its sandbox, and by axe, which cannot enter the frame.
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

  await test.step('a destructive tool needs a confirmation', async () => {
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

  await test.step('it cannot reach the page, storage or the API', async () => {
    await app.getByRole('button', { name: 'Break out' }).click();
    await expect(app.locator('#said')).toHaveText('rejected rejected rejected');
  });
});

test('an app receives the arguments, the result and the cancellation of its call', async ({ page, watch }) => {
  watch.expect(/content security policy|Blocked a frame|violates|sandboxed|target origin provided/i);
  await page.goto('/');
  await openTool(page, 'apps__wait_for_add');
  await expect(page.getByText('Run the tool to see its app and result.')).toBeVisible();
  await page.getByRole('textbox', { name: 'label' }).fill('tea');
  await runButton(page).click();
  const app = page.frameLocator('iframe[title="App of apps__wait_for_add"]');

  await test.step('it receives the arguments while the call runs', async () => {
    await expect(app.locator('#said')).toHaveText('{"label":"tea"}');
    await expect(app.getByText('Count: –')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Cancel' })).toBeVisible();
  });

  await test.step('it receives the result that its own call completes', async () => {
    await app.getByRole('button', { name: 'Add one' }).click();
    await expect(app.getByText('Count: 1')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Cancel' })).toBeHidden();
    await expect(page.getByText('Succeeded').first()).toBeVisible();
  });

  await test.step('it is notified when a call is cancelled', async () => {
    await runButton(page).click();
    await expect(app.locator('#said')).toHaveText('{"label":"tea"}');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(app.locator('#said')).toHaveText('cancelled');
  });
});

test('an app can still call tools while it is being closed', async ({ page, server, watch }) => {
  watch.expect(/content security policy|Blocked a frame|violates|sandboxed|target origin provided/i);
  let before = 0;
  const saved = async () => {
    const { calls } = (await (await fetch(`${server.address}/api/v1/calls?tool=apps__save&status=succeeded`)).json()) as {
      calls: unknown[];
    };
    return calls.length - before;
  };
  // Apps of earlier tests called the tool, too, when they were closed.
  before = await saved();
  const frames = page.locator('iframe');
  await page.goto('/');
  await openTool(page, 'apps__show_counter');
  await runButton(page).click();
  const app = page.frameLocator('iframe[title="App of apps__show_counter"]');

  await test.step('the app closes itself, and the person opens it again', async () => {
    await app.getByRole('button', { name: 'Close' }).click();
    await expect(page.getByText('The app closed itself.')).toBeVisible();
    await expect.poll(saved).toBe(1);
    await expect(frames, 'the frame is removed once the app has answered').toHaveCount(0);
    await page.getByRole('button', { name: 'Open it again' }).click();
    await expect(app.getByText(/Count: \d/)).toBeVisible();
  });

  await test.step('a new call gets a new frame', async () => {
    await runButton(page).click();
    await expect.poll(saved).toBe(2);
    await expect(app.getByText(/Count: \d/)).toBeVisible();
    await expect(frames).toHaveCount(1);
  });

  await test.step('the person opens another page', async () => {
    await openPage(page, 'Overview');
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
