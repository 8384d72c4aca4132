import type { Page } from '@playwright/test';
import { invitedSchema } from '#lib/contract/account.ts';
import { API, PAGES } from '#lib/contract/paths.ts';
import { expectAccessible, WIDE } from './harness/accessible.ts';
import type { TestServer } from './harness/test-server.ts';
import { expect, test } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: ['math'], fixtures: [], env: { AUTH: 'team' } } });

const ANNA = { name: 'Anna Lind', email: 'anna@team.example', password: 'correct horse battery' };
const OTTO = { name: 'Otto Berg', email: 'otto@team.example', password: 'another staple battery' };

/** Checks the page, and restores the window width. */
async function checkAccessibility(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.setViewportSize(WIDE);
}

const newestEntries = (page: Page) => page.getByRole('list', { name: 'Entries, newest first' });

test('two members use accounts, invitations, roles, tokens and the audit log', async ({ page, server, browser, watch }) => {
  const otherContext = await browser.newContext({ baseURL: server.address, reducedMotion: 'reduce' });
  const other = await otherContext.newPage();
  const signInAgain = other.getByRole('dialog', { name: 'Sign in again' });
  const expression = other.getByRole('textbox', { name: 'expression (required)' });
  let token = '';

  await test.step('an anonymous visitor is redirected to sign in, and sees no data', async () => {
    await page.goto('/calls?status=failed');
    await expect(page).toHaveURL(`${server.address}/sign-in?to=%2Fcalls%3Fstatus%3Dfailed`);
    await expect(page.getByRole('heading', { name: 'No members yet' })).toBeVisible();
    expect(await page.content()).not.toMatch(/calculate|snapshot_version|\bmath\b/);
  });

  await test.step('the link in the server output creates the first admin, and its secret leaves the address bar', async () => {
    await page.goto(firstAdminLink(server));
    await expect(page.getByRole('heading', { name: 'Become the first admin' })).toBeVisible();
    await expect(page).toHaveURL(`${server.address}/join`);
    await expect(page.getByLabel('Your name')).toBeFocused();
    await checkAccessibility(page);
    await page.getByLabel('Password', { exact: true }).fill('too short');
    await expect(page.getByRole('list', { name: 'Password rules' })).toContainText('12 to 256 characters (not yet)');
    await join(page, ANNA);
  });

  await test.step('the admin invites an operator, who joins in another browser', async () => {
    await page.goto(PAGES.team);
    await page.getByRole('button', { name: 'Invite member' }).first().click();
    await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeFocused();
    await page.getByRole('radio', { name: 'Operator' }).check();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = page.getByRole('textbox', { name: 'Invitation link' });
    await expect(link).toBeFocused();
    const address = invitedSchema.shape.link.parse(await link.inputValue());
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('list', { name: 'Open invitations' })).toContainText('Anyone with the link');

    await other.goto(address);
    await expect(other.getByText('Anna Lind invites you as an operator.')).toBeVisible();
    await join(other, OTTO);
    await other.goto(address);
    await expect(other.getByRole('heading', { name: 'Invalid link' })).toBeVisible();
  });

  await test.step('the operator calls a tool, sees no forbidden actions, and is rejected when trying one', async () => {
    await other.goto('/tools/calculate_expression');
    await expect(runButton(other)).toBeEnabled();
    await expression.fill('6 * 7');
    await runButton(other).click();
    await expect(other.getByRole('region', { name: 'Result', exact: true })).toContainText('"result": 42');
    await expect(other.getByRole('button', { name: /Reload/ })).toHaveCount(0);
    await expect(other.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' })).toHaveCount(0);
    const refused = await other.request.post(API.reload);
    expect([refused.status(), await refused.json()]).toEqual([403, expect.objectContaining({ code: 'not_allowed' })]);
    await other.goto('/extensions/math?tab=source');
    await expect(other.getByText('Editing the files of an extension is not part of your role (operator).')).toBeVisible();
    await expect(other.getByRole('button', { name: /^(Save|New file|Restart|Disable)/ })).toHaveCount(0);
    await other.goto(PAGES.audit);
    await expect(other.getByText('This page is for the role admin')).toBeVisible();
  });

  await test.step('the admin lowers the role of the operator, who signs in again in place, keeps the typed text and has fewer actions', async () => {
    await other.goto('/tools/calculate_expression');
    await expect(runButton(other)).toBeEnabled();
    await expression.fill('1 + 2 + 3');

    await page.goto(PAGES.team);
    await page.getByRole('button', { name: 'Actions for Otto Berg' }).click();
    await page.getByRole('menuitem', { name: 'Change role…' }).click();
    const question = page.getByRole('dialog', { name: 'Change role of Otto Berg' });
    await question.getByRole('radio', { name: 'Viewer' }).check();
    await question.getByRole('button', { name: 'Change role' }).click();
    await expect(question).toBeHidden();
    await expect(page.getByRole('list', { name: 'Members' })).toContainText('Viewer');
    await checkAccessibility(page);

    await expect(signInAgain.getByLabel('Password', { exact: true })).toBeFocused();
    await signInAgain.getByLabel('Password', { exact: true }).fill(OTTO.password);
    await signInAgain.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(signInAgain).toBeHidden();
    await expect(other.getByText('Calling a tool is not part of your role (viewer).')).toBeVisible();
    await expect(runButton(other)).toHaveCount(0);
    await expect(expression).toHaveValue('1 + 2 + 3');
  });

  await test.step('a token is shown once, works, and stops working when it is revoked', async () => {
    const call = () =>
      fetch(`${server.address}${API.callTool('calculate_expression')}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ arguments: { expression: '2 + 2' } }),
      });
    await page.goto(PAGES.tokens);
    await page.getByRole('button', { name: 'Create token' }).click();
    await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await page.getByRole('textbox', { name: 'Name' }).fill('nightly sums');
    await page.getByRole('radio', { name: /^Selected tools only/ }).check();
    await page.getByRole('checkbox', { name: 'calculate_expression' }).check();
    await page.getByRole('button', { name: 'Create token' }).click();
    const shown = page.getByRole('textbox', { name: 'Token', exact: true });
    await expect(shown).toBeFocused();
    token = await shown.inputValue();
    await expect(page.getByRole('region', { name: 'For curl' })).toContainText(token);
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(shown).toBeHidden();
    expect(await page.content()).not.toContain(token);
    await expect(page.getByRole('list', { name: 'Active tokens' })).toContainText('only calculate_expression');
    await checkAccessibility(page);
    expect(await (await call()).json()).toMatchObject({ result: { result: 4 } });

    await page.getByRole('button', { name: 'Revoke nightly sums' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await expect(page.getByRole('list', { name: 'Inactive tokens' })).toContainText('nightly sums');
    expect((await call()).status).toBe(401);
  });

  await test.step('the audit log lists every action, and its filter is in the URL', async () => {
    await page.goto(PAGES.audit);
    for (const words of ['Revoked a token: nightly sums', 'Changed a role: Otto Berg', 'Became the first admin', 'Reloading extensions'])
      await expect(newestEntries(page)).toContainText(words);
    await page.getByRole('button', { name: 'Refused', exact: true }).click();
    await expect(page).toHaveURL(/outcome=refused/);
    await expect(newestEntries(page)).not.toContainText('Changed a role');
    await newestEntries(page)
      .getByRole('button', { name: /Reloading extensions/ })
      .click();
    await expect(newestEntries(page)).toContainText('Otto Berg (member)');
    await checkAccessibility(page);
  });

  await test.step('the admin signs out, and signing in again opens the requested page', async () => {
    await page.goto(PAGES.profile);
    await expect(page.getByRole('heading', { name: ANNA.name })).toBeVisible();
    await checkAccessibility(page);
    await page.getByRole('button', { name: 'You are Anna Lind' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await expect(page).toHaveURL(`${server.address}/sign-in`);
    await expect(page.getByRole('heading', { name: 'Sign in', exact: true })).toBeVisible();
    await checkAccessibility(page);
    watch.expect(/answer 401: POST .*\/session$/);
    watch.expect(/console error: Failed to load resource: the server responded with a status of 401/);
    await page.goto('/calls?status=succeeded');
    await expect(page.getByLabel('E-mail')).toBeFocused();
    await page.getByLabel('E-mail').fill(ANNA.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
    await expect(page.getByRole('alert').filter({ hasText: 'password' })).toBeVisible();
    await page.getByLabel('Password', { exact: true }).fill(ANNA.password);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${server.address}/calls?status=succeeded`);
    await expect(page.getByRole('heading', { name: 'Calls', level: 1 })).toBeVisible();
  });

  await otherContext.close();
});

/** Reads the link from the output of the server. */
function firstAdminLink(server: TestServer): string {
  const [, link = ''] = /Open (\S+) to become the first admin/.exec(server.output().join('\n')) ?? [];
  return link;
}

async function join(page: Page, { name, email, password }: typeof ANNA): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await expect(page.getByRole('button', { name: `You are ${name}` })).toBeVisible();
}
