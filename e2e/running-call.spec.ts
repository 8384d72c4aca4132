import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { callLog, callRows, connection, openPage, runButton } from './harness/navigation.ts';

test('a long call shows its progress and log while it runs, and can be cancelled', async ({ page, server, context }) => {
  await page.goto('/tools/follow_steps');
  await expect(connection(page)).toHaveText('Live');
  await runButton(page).click();
  await expect(page.getByText('follow_steps is running')).toBeAttached();

  await test.step('the log appears line by line', async () => {
    await page.getByRole('tab', { name: /^Logs/ }).click();
    const log = callLog(page);
    await expect(log).toContainText('Waiting for the first step');
    await expect(log).not.toContainText('Took step');
    await writeFile(path.join(server.workspace, 'step-1'), '');
    await expect(log).toContainText('Took step 1 {"step":1}');
  });

  await test.step('the progress is updated', async () => {
    const bar = page.getByRole('progressbar', { name: 'Step 1 is done' });
    await expect(bar).toHaveAttribute('aria-valuenow', '33');
    await expect(page.getByRole('main')).toContainText('1 of 3 · 33%');
    await writeFile(path.join(server.workspace, 'step-2'), '');
    await expect(page.getByRole('progressbar', { name: 'Step 2 is done' })).toHaveAttribute('aria-valuenow', '67');
  });

  await test.step('somebody else sees it running in the history', async () => {
    const other = await context.newPage();
    await other.goto(`${server.address}/calls`);
    await expect(callRows(other)).toContainText(['Running']);
    await other.close();
  });

  await test.step('cancelling it keeps its log, and says that its changes remain', async () => {
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await expect(page.getByText(/^follow_steps: Cancelled/)).toBeAttached();
    await expect(page.getByRole('button', { name: 'Cancel', exact: true })).toBeHidden();
    await expect(page.getByRole('progressbar')).toBeHidden();
    await expect(callLog(page)).toContainText('Took step 2');
    await page.getByRole('tab', { name: 'Result' }).click();
    await expect(page.getByRole('tabpanel', { name: 'Result' })).toContainText('Changes made before it was cancelled remain.');
  });

  await test.step('the next call finishes', async () => {
    await writeFile(path.join(server.workspace, 'step-3'), '');
    await runButton(page).click();
    await expect(page.getByText(/^follow_steps: Succeeded/)).toBeAttached();
    await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('"taken": 3');
  });
});

test('a call that exceeds its timeout is shown as timed out', async ({ page }) => {
  await page.goto('/tools/follow_steps');
  await page.getByRole('textbox', { name: 'steps' }).fill('5');
  await page.getByRole('textbox', { name: 'Timeout (s)' }).fill('no time');
  await runButton(page).click();
  await expect(page.getByText('Enter seconds, from 0.001 to')).toBeVisible();
  await page.getByRole('textbox', { name: 'Timeout (s)' }).fill('0.3');
  await runButton(page).click();
  await expect(page.getByText(/^follow_steps: Timed out/)).toBeAttached();
  await expect(page.getByRole('main')).toContainText('If it needs longer, raise timeout_ms of the call');
});

test('a second run starts while the first is running, and both are listed after leaving the page', async ({ page, server }) => {
  await page.goto('/tools/follow_steps');
  await expect(connection(page)).toHaveText('Live');
  await page.getByRole('textbox', { name: 'steps' }).fill('4');
  const runs = page.getByRole('list', { name: 'Recent runs' }).getByRole('button');
  await runButton(page).click();
  await expect(page.getByText('follow_steps is running')).toBeAttached();
  await page.getByRole('textbox', { name: 'steps' }).fill('5');
  await runButton(page).click();
  await expect(runs).toHaveText([/^2Running/, /^1Running/]);

  await test.step('one of them is cancelled, and the other keeps running', async () => {
    await runs.nth(1).click();
    await expect(runs.nth(1)).toHaveAttribute('aria-pressed', 'true');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await expect(runs).toHaveText([/^2Running/, /^1Cancelled/]);
  });

  await test.step('both are listed after coming back', async () => {
    await openPage(page, 'Calls');
    for (const step of [1, 2, 3, 4, 5]) await writeFile(path.join(server.workspace, `step-${step}`), '');
    await page.goBack();
    await expect(runs).toHaveText([/^2Succeeded/, /^1Cancelled/]);
    await runs.nth(0).click();
    await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('"taken": 5');
  });
});
