import type { Locator, Page } from '@playwright/test';
import type { TestServer } from './harness/test-server.ts';
import { expect, test } from './harness/test.ts';
import { openPage } from './harness/navigation.ts';

test.use({ serverOwner: 'own extensions', serverOptions: { shipped: ['math', 'shell'], fixtures: [], env: {} } });

const greeting = (word: string) => `export const TOOL = {
  label: 'Greeting',
  name: 'greet_people',
  description: 'Greets who is there.',
  parameters: {},
  execute: () => '${word}',
};
`;

const editor = (page: Page): Locator => page.getByRole('textbox', { name: /^Source of/ });
const outcome = (page: Page): Locator => page.getByRole('region', { name: /^File / }).getByRole('status');

/** Saves an extension and waits until it is loaded. */
async function createGreeter(server: TestServer): Promise<void> {
  await server.save('greeter/extension.ts', greeting('hello'));
  await expect.poll(async () => (await server.call('greet_people').catch(() => null))?.status ?? null).toBe('succeeded');
}

/** Replaces the complete text of the editor. */
async function retype(page: Page, text: string): Promise<void> {
  await editor(page).click();
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

test('a file is edited in the browser, its error is reported, and the fix is served', async ({ page, server }) => {
  await createGreeter(server);
  await page.goto('/extensions/greeter?tab=source');
  await expect(editor(page)).toContainText('Greets who is there.');
  await expect(outcome(page)).toContainText('Revision 1 serves.');

  await test.step('Ctrl+S saves the file, which is served at once', async () => {
    await retype(page, greeting('good evening'));
    await expect(page.getByText('not saved')).toBeVisible();
    await page.keyboard.press('Control+s');
    await expect(outcome(page)).toContainText('Saved. Revision 2 serves.');
    expect((await server.call('greet_people')).result).toBe('good evening');
    expect(await server.read('greeter/extension.ts')).toBe(greeting('good evening'));
  });

  await test.step('an error is reported with its line, and the last good revision keeps serving', async () => {
    await retype(page, greeting('broken').replace("label: 'Greeting',", "label: 'Greeting"));
    await page.getByRole('button', { name: /^Save/ }).click();
    await expect(outcome(page)).toContainText(/Line 2: .* Revision 2 keeps serving\./);
    await expect(page.locator('.cm-lint-marker-error')).toBeVisible();
    expect((await server.call('greet_people')).result).toBe('good evening');
  });

  await test.step('the fixed file is served', async () => {
    await retype(page, greeting('welcome'));
    await page.getByRole('button', { name: /^Save/ }).click();
    await expect(outcome(page)).toContainText('Saved. Revision 4 serves.');
    await expect(page.locator('.cm-lint-marker-error')).toHaveCount(0);
  });

  await test.step('the timeline shows the edit', async () => {
    await page.goto('/timeline');
    await expect(page.getByRole('region', { name: 'Versions' })).toContainText(/edited greeter\/extension\.ts/i);
  });
});

test('an edit does not silently overwrite a newer save', async ({ page, server }) => {
  await createGreeter(server);
  await page.goto('/extensions/greeter?tab=source');
  await expect(editor(page)).toContainText('hello');

  await test.step('without unsaved changes the editor shows the newer save at once', async () => {
    await server.save('greeter/extension.ts', greeting('from outside'));
    await expect(editor(page)).toContainText('from outside');
  });

  await test.step('with unsaved changes the person chooses a version', async () => {
    await retype(page, greeting('mine'));
    await server.save('greeter/extension.ts', greeting('theirs'));
    await expect(page.getByText('The file changed on disk.')).toBeVisible();
    await page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await expect(outcome(page)).toContainText('Saved.');
    expect(await server.read('greeter/extension.ts')).toBe(greeting('mine'));
    await retype(page, greeting('mine again'));
    await server.save('greeter/extension.ts', greeting('theirs again'));
    await page.getByRole('button', { name: 'Use the file on disk' }).click();
    await expect(editor(page)).toContainText('theirs again');
  });
});

test('a helper file is created beside the entry file, and an invalid name is rejected', async ({ page, server }) => {
  await createGreeter(server);
  await page.goto('/extensions/greeter?tab=source');
  await page.getByRole('button', { name: 'New file' }).click();
  await page.getByLabel('Name, in greeter/').fill('../outside.ts');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByText('do not begin with a dot')).toBeVisible();
  await page.getByLabel('Name, in greeter/').fill('words.ts');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('button', { name: 'words.ts' })).toHaveAttribute('aria-current', 'true');
  expect(await server.read('greeter/words.ts')).toBe('');
});

test('on a phone the row of files is scrolled to the open one', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/extensions/math?tab=source');
  await expect(page.getByRole('button', { name: 'extension.ts', exact: true })).toBeInViewport({ ratio: 1 });
});

test('a new extension is created on the page and served at once, and unusable names are rejected', async ({ page, server, watch }) => {
  watch.expect(/answer 4(09|22)|status of 4(09|22)/);
  await page.goto('/extensions');
  await page.getByRole('button', { name: 'New extension' }).click();
  const dialog = page.getByRole('dialog', { name: 'New extension' });
  await dialog.getByLabel('Name').fill('9lives');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(dialog).toContainText('cannot be the name of an extension');
  await dialog.getByLabel('Kind').selectOption('One tool');
  await dialog.getByLabel('Language').selectOption('Python');
  await dialog.getByLabel('Name').fill('repeat_text');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page).toHaveURL(/tools%2Frepeat_text\?tab=source/);
  await page.goto('/extensions/tools/repeat_text?tab=source');
  await expect(page).toHaveURL(/tools%2Frepeat_text\?tab=source/);
  await expect(editor(page)).toContainText('def run(text: str');
  await expect(outcome(page)).toContainText('Revision 1 serves.');
  expect((await server.call('repeat_text', { text: 'la', times: 3 })).result).toBe('la la la');

  await page.goto('/extensions');
  await page.getByRole('button', { name: 'New extension' }).click();
  await dialog.getByLabel('Name').fill('repeat_text');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(dialog).toContainText('already exists');
});

// components/extensions/CodeEditor.test.ts tests all line endings.
test('the editor preserves line endings and the byte order mark', async ({ page, server }) => {
  const written = (text: string): string => `\uFEFF${text.replaceAll('\n', '\r\n')}`;
  await server.save('greeter/extension.ts', written(greeting('hello')));
  await expect.poll(async () => (await server.call('greet_people').catch(() => null))?.status ?? null).toBe('succeeded');
  await page.goto('/extensions/greeter?tab=source');
  await expect(editor(page)).toContainText('Greets who is there.');
  await expect(page.getByText('not saved')).toHaveCount(0);
  await editor(page).click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('// one');
  await page.keyboard.press('Enter');
  await page.keyboard.insertText('// two\n');
  await page.keyboard.press('Control+s');
  await expect(outcome(page)).toContainText(/Saved\. Revision \d+ serves\./);
  expect(await server.read('greeter/extension.ts')).toBe(written(`// one\n// two\n${greeting('hello')}`));
});

test('unsaved text of each file is kept until it is saved or discarded', async ({ page, server }) => {
  // Confirms the browser's dialog before a reload.
  page.removeAllListeners('dialog');
  page.on('dialog', (dialog) => void dialog.accept());
  await createGreeter(server);
  await server.save('greeter/words.ts', 'export const WORD = 1;\n');
  await page.goto('/extensions/greeter?tab=source');
  const files = page.getByRole('navigation', { name: 'Files' });
  const save = page.getByRole('button', { name: /^Save/ });
  await expect(editor(page)).toContainText('hello');
  await retype(page, greeting('not yet saved'));
  await files.getByRole('button', { name: 'words.ts' }).click();
  await expect(editor(page)).toContainText('WORD');
  await retype(page, 'export const WORD = 2;\n');
  await expect(files.getByRole('button', { name: 'extension.ts' })).toContainText('unsaved');

  await test.step('after another file, another tab of the page, another page and a reload', async () => {
    await files.getByRole('button', { name: 'extension.ts' }).click();
    await expect(editor(page)).toContainText('not yet saved');
    await page.getByRole('tab', { name: /^Revisions/ }).click();
    await page.getByRole('tab', { name: /^Source/ }).click();
    await expect(editor(page)).toContainText('not yet saved');
    await openPage(page, 'Calls');
    await page.goBack();
    await expect(editor(page)).toContainText('not yet saved');
    await page.reload();
    await expect(editor(page)).toContainText('not yet saved');
    await expect(page.getByText('The file changed on disk')).toHaveCount(0);
    await files.getByRole('button', { name: 'words.ts' }).click();
    await expect(editor(page)).toContainText('WORD = 2');
  });

  await test.step('one is saved, and the other discarded', async () => {
    await save.click();
    await expect(outcome(page)).toContainText('Saved.');
    expect(await server.read('greeter/words.ts')).toBe('export const WORD = 2;\n');
    await files.getByRole('button', { name: 'extension.ts' }).click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect(editor(page)).toContainText('hello');
    await expect(page.getByText(/not saved|unsaved/)).toHaveCount(0);
  });
});

test('unsaved text conflicts with a save on disk made while another page was open', async ({ page, server }) => {
  await createGreeter(server);
  await page.goto('/extensions/greeter?tab=source');
  await retype(page, greeting('mine'));
  await openPage(page, 'Calls');
  await server.save('greeter/extension.ts', greeting('theirs'));
  await page.goBack();
  await expect(page.getByText('The file changed on disk.')).toBeVisible();
  await expect(editor(page)).toContainText('mine');
});

test('a save does not conflict with itself, and keeps text typed in the meantime', async ({ page, server }) => {
  await createGreeter(server);
  // The server has saved, and its response is delayed: the change event comes first.
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/v1/sources/**', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue();
    const response = await route.fetch();
    await released;
    await route.fulfill({ response });
  });
  await page.goto('/extensions/greeter?tab=source');
  await page.evaluate(`(() => {
    window.alerts = [];
    new MutationObserver(() => {
      const found = document.querySelector('[role=alert]');
      if (found?.textContent?.includes('changed on disk')) window.alerts.push(found.textContent);
    }).observe(document.body, { childList: true, subtree: true });
  })()`);
  await retype(page, greeting('saved'));
  await page.keyboard.press('Control+s');
  await expect.poll(async () => server.read('greeter/extension.ts')).toBe(greeting('saved'));
  await page.keyboard.press('Control+Home');
  await page.keyboard.insertText('// typed meanwhile\n');
  await expect.poll(async () => (await server.call('greet_people')).result).toBe('saved');
  release();
  await expect(outcome(page)).toContainText('Saved.');
  await expect(editor(page)).toContainText('typed meanwhile');
  await expect(page.getByText('not saved')).toBeVisible();
  await page.keyboard.press('Control+s');
  await expect.poll(async () => server.read('greeter/extension.ts')).toBe(`// typed meanwhile\n${greeting('saved')}`);
  await expect(page.getByText('not saved')).toHaveCount(0);
  expect(await page.evaluate('window.alerts')).toEqual([]);
});
