import type { Locator, Page } from '@playwright/test';
import { failureGroupDetailSchema, groupPageSchema } from '#lib/contract/failure-group.ts';
import { API, PAGES } from '#lib/contract/paths.ts';
import { expectAccessible, WIDE } from './harness/accessible.ts';
import type { TestServer } from './harness/test-server.ts';
import { createFirstAdmin, inviteMember, openBrowserAs, requestAs, signIn } from './harness/team-server.ts';
import type { Member } from './harness/team-server.ts';
import { expect, test } from './harness/test.ts';

test.use({ serverOptions: { shipped: ['math'], fixtures: [], env: { AUTH: 'team' } } });

const row = (page: Page, title: string): Locator => page.getByRole('main').locator('[data-failure]').filter({ hasText: title });
const activity = (page: Page): Locator => page.getByRole('list', { name: 'Activity' });
const others = (page: Page): Locator => page.getByRole('status', { name: 'Also viewing' });
const failuresLink = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Failures/ });

async function idOf(server: TestServer, who: Member, words: string): Promise<string> {
  let id = '';
  await expect
    .poll(async () => {
      const { groups } = groupPageSchema.parse(await (await requestAs(server, who, 'GET', API.failures)).json());
      id = groups.find((group) => group.title.includes(words))?.id ?? '';
      return id;
    })
    .not.toBe('');
  return id;
}

test('an operator and a viewer share a failure: assignment, mentions, presence and permissions', async ({ page, browser, server }) => {
  const admin = await createFirstAdmin(server, 'Ada Admin');
  const otto = await inviteMember(server, admin, 'Otto Maier', 'operator');
  const vera = await inviteMember(server, admin, 'Vera Viewer', 'viewer');
  const gone = await inviteMember(server, admin, 'Otto Gone', 'operator');
  await server.save('orders/extension.ts', "throw new Error('no orders today');\n");
  await server.save('bills/extension.ts', "throw new Error('no bills today');\n");
  const [orders, bills] = [await idOf(server, admin, 'no orders'), await idOf(server, admin, 'no bills')];
  await requestAs(server, admin, 'PATCH', API.failure(bills), { assignee: gone.name });
  await requestAs(server, admin, 'PATCH', API.member(gone.id), { active: false });
  const viewer = await openBrowserAs(browser, server, vera);
  await signIn(page, otto);
  await page.setViewportSize(WIDE);
  await viewer.page.setViewportSize(WIDE);

  await test.step('both open it, and see each other', async () => {
    await page.goto(`/failures/${orders}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('no orders today');
    await expect(others(page)).toBeHidden();
    await viewer.page.goto(`/failures/${orders}`);
    await expect(others(viewer.page)).toHaveText(/Otto Maier is here too/);
    await expect(others(page)).toHaveText(/Vera Viewer is here too/);
  });

  await test.step('the operator assigns it to the viewer and acknowledges it, and the viewer sees both', async () => {
    await page.getByRole('button', { name: 'Assign…' }).click();
    const picker = page.getByRole('combobox', { name: 'Assign to' });
    await expect(picker).toBeFocused();
    await expect(page.getByRole('option', { name: 'Ada Admin' })).toBeVisible();
    await picker.fill('otto');
    // Deactivated members are not listed.
    await expect(page.getByRole('option')).toHaveText([/Otto Maier/]);
    await picker.fill('vie');
    await expect(page.getByRole('option', { name: 'Vera Viewer' })).toBeVisible();
    await picker.press('Enter');
    await expect(activity(page)).toContainText('Otto Maier assigned Vera Viewer');
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await expect(activity(viewer.page)).toContainText('Otto Maier assigned Vera Viewer');
    await expect(activity(viewer.page)).toContainText('Otto Maier acknowledged it');
  });

  await test.step('the operator mentions the viewer, who sees who is writing, the comment and the mention', async () => {
    const comment = page.getByRole('textbox', { name: 'Comment' });
    await comment.click();
    await expect(comment).toBeFocused();
    await comment.pressSequentially('Please look, @ve');
    await expect(page.getByRole('option', { name: 'Vera Viewer' })).toBeVisible();
    await expect(others(viewer.page)).toHaveText(/Otto Maier is here too, and writes a comment/);
    await page.getByRole('option', { name: 'Vera Viewer' }).click();
    await expect(comment).toHaveValue('Please look, @Vera Viewer ');
    await expect(comment).toBeFocused();
    await comment.pressSequentially('<b>soon</b>');
    await comment.press('Control+Enter');
    await expect(activity(viewer.page)).toContainText('Otto Maier mentioned Vera Viewer');
    const entry = activity(viewer.page).getByRole('article').filter({ hasText: 'Otto Maier' });
    await expect(entry.getByText('@Vera Viewer', { exact: true })).toBeVisible();
    await expect(entry).toContainText('<b>soon</b>');
    await expect(others(viewer.page)).toHaveText(/Otto Maier is here too$/);
    await expect(failuresLink(viewer.page)).toHaveAccessibleName(/1 mentions you/);
    await expect(failuresLink(page)).not.toHaveAccessibleName(/mention/);
    await expect(comment).toHaveValue('');
    await comment.pressSequentially('@');
    await expect(page.getByRole('option')).toHaveCount(3);
    await expectAccessible(page);
    await page.setViewportSize(WIDE);
    await comment.press('Escape');
    await expect(page.getByRole('option')).toHaveCount(0);
    await comment.fill('');
  });

  await test.step('the viewer sees everything, is offered no actions, and is rejected when trying one', async () => {
    for (const name of ['Acknowledge', 'Resolve', 'Ignore…', 'Assign to me', 'Change', 'Assign…', 'Open again'])
      await expect(viewer.page.getByRole('button', { name, exact: true })).toHaveCount(0);
    await expect(viewer.page.getByRole('textbox', { name: 'Comment' })).toHaveCount(0);
    viewer.watch.expect(/403/);
    const statuses = await viewer.page.evaluate(
      async ([failure, comments]) => {
        const send = (path: string, method: string, body: unknown) =>
          fetch(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
        return [(await send(failure, 'PATCH', { status: 'resolved' })).status, (await send(comments, 'POST', { text: 'me too' })).status];
      },
      [API.failure(orders), API.commentFailure(orders)] as const,
    );
    expect(statuses).toEqual([403, 403]);
    const after = failureGroupDetailSchema.parse(await (await requestAs(server, vera, 'GET', API.failure(orders))).json());
    expect([after.status, after.comments.length]).toEqual(['acknowledged', 1]);
  });

  await test.step('the viewer filters by mentions and assignee, and sees a deactivated assignee', async () => {
    await viewer.page.goto('/failures?mentions=me');
    await expect(row(viewer.page, 'no orders today')).toContainText('Vera Viewer');
    await expect(row(viewer.page, 'no bills today')).toHaveCount(0);
    await viewer.page.getByRole('button', { name: 'Mentions you' }).click();
    await expect(row(viewer.page, 'no bills today')).toContainText('Otto Gone(deactivated)');
    await viewer.page.getByRole('combobox', { name: 'Assignee' }).selectOption('Mine');
    await expect(viewer.page).toHaveURL(/\?who=me$/);
    await expect(row(viewer.page, 'no bills today')).toHaveCount(0);
    await expect(row(viewer.page, 'no orders today')).toBeVisible();
  });

  await test.step('the operator sees that the viewer has left', async () => {
    await expect(others(page)).toBeHidden();
  });
  await viewer.close();

  await test.step('Mine shows only own calls and saved calls', async () => {
    const tool = 'calculate_expression';
    for (const [who, name] of [
      [admin, 'Of the admin'],
      [otto, 'Of Otto'],
    ] as const) {
      const args = { expression: '1 + 1' };
      await requestAs(server, who, 'POST', API.callTool(tool), { arguments: args });
      await requestAs(server, who, 'POST', API.savedCalls, { tool, name, arguments: args });
    }
    await page.goto('/calls');
    const calls = page.getByRole('main').getByRole('link', { name: tool });
    await expect(calls).toHaveCount(2);
    await page.getByRole('button', { name: 'Mine', exact: true }).click();
    await expect(calls).toHaveCount(1);
    await expect(page).toHaveURL(/actor=Otto(?:\+|%20)Maier/);
    await page.goto(PAGES.tool(tool));
    const saved = page.getByRole('list', { name: 'Saved calls' }).getByRole('listitem');
    await expect(saved).toHaveCount(2);
    await page.getByRole('button', { name: 'Mine', exact: true }).click();
    await expect(saved).toHaveText([/Of Otto/]);
    await expect(page).toHaveURL(/saved_by=me/);
  });
});
