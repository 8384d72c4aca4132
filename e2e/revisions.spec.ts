import { API } from '#lib/contract/paths.ts';
import { expect, test } from './harness/test.ts';

test.use({ serverOwner: 'own extensions', serverOptions: { shipped: ['math', 'shell'], fixtures: [], env: {} } });

const greeting = (parameters: string) => `export const TOOLS = [
  { label: 'Greeting', name: 'salute_person', description: 'Greets a person.', parameters: ${parameters}, execute: (args) => args },
];
`;

test('two revisions are compared by parameters, recent and saved calls, and source', async ({ page, server }) => {
  await server.save('saluter/extension.ts', greeting(`{ name: { type: 'string' }, times: { type: 'integer', maximum: 9 } }`));
  await expect
    .poll(async () => (await server.call('salute_person', { name: 'Ada', times: 7 }).catch(() => null))?.status ?? null)
    .toBe('succeeded');
  const saved = await page.request.post(API.savedCalls, {
    data: { tool: 'salute_person', name: 'Often', arguments: { name: 'Ada', times: 8 } },
  });
  expect(saved.status()).toBe(200);
  await server.save(
    'saluter/extension.ts',
    greeting(`{ name: { type: 'string' }, times: { type: 'integer', maximum: 5 }, warmly: { type: 'boolean' } }`),
  );
  await page.goto('/extensions/saluter?tab=revisions');
  await expect(page.getByRole('list', { name: 'Tools changed since revision 1' })).toContainText('~changed salute_person');
  await expect(page.getByRole('list', { name: 'Files changed since revision 1' })).toHaveText('~changed saluter/extension.ts');
  await page.getByRole('button', { name: 'What changed since revision 1' }).click();

  const comparison = page.getByRole('region', { name: 'Comparison of two revisions' });
  await expect(comparison).toContainText('Breaking');
  await expect(comparison).toContainText('maximum was 9 and is 5 now.');
  await expect(comparison).toContainText('It is new and optional.');
  await expect(comparison).toContainText('Of 1 recent call, revision 2 would refuse 1:');
  const refused = comparison.getByRole('list', { name: 'Refused saved calls' });
  await expect(refused).toContainText('/times must be 5 or less');
  await expect(refused.getByRole('link', { name: 'Often' })).toHaveAttribute('href', /\/tools\/salute_person\?saved=/);
  await expect(comparison.getByRole('table', { name: 'Changes in saluter/extension.ts' })).toContainText('warmly');
  await expect(page).toHaveURL(/from=1&to=2/);

  await comparison.getByRole('combobox', { name: 'From revision' }).selectOption('2');
  await expect(comparison).toContainText('Choose two different revisions.');
  await comparison.getByRole('combobox', { name: 'To revision' }).selectOption('1');
  await expect(comparison).toContainText('It is no longer accepted.');
  await comparison.getByRole('button', { name: 'Close the comparison' }).click();
  await expect(comparison).toBeHidden();
});

test('the files of an extension are restored to a revision, unless somebody saved in the meantime', async ({
  page,
  server,
  browser,
  watch,
}) => {
  const words = (word: string) => `export const word = '${word}';\n`;
  const uses = (file: string) =>
    `import { word } from './${file}.ts';\nexport const TOOL = { label: 'T', name: 'say_word', description: 'Says a word.', parameters: {}, execute: () => word };\n`;
  const says = (word: string) => expect.poll(async () => (await server.call('say_word').catch(() => null))?.result ?? null).toBe(word);
  await server.save('speaker/first.ts', words('first'));
  await server.save('speaker/extension.ts', uses('first'));
  await says('first');
  await server.save('speaker/second.ts', words('second'));
  await server.save('speaker/extension.ts', uses('second'));
  await says('second');

  const other = await browser.newPage();
  await other.goto(`${server.address}/extensions/speaker?tab=revisions`);
  await expect(other.getByRole('button', { name: 'Pin revision 2' })).toBeVisible();
  await page.goto('/extensions/speaker?tab=revisions');
  const dialog = page.getByRole('dialog', { name: 'Restore the files of speaker to revision 1?' });
  const write = dialog.getByRole('button', { name: 'Write 1 file back' });

  await test.step('the preview shows the changes, and a newer save is not overwritten', async () => {
    await page.getByRole('button', { name: 'Restore files to revision 1' }).click();
    await expect(dialog.getByRole('table', { name: 'What changes in speaker/extension.ts' })).toContainText('./first.ts');
    await server.save('speaker/extension.ts', `${uses('second')}// theirs\n`);
    await expect(other.getByRole('button', { name: 'Pin revision 3' })).toBeVisible();
    watch.expect(/\/undo|409/);
    await write.click();
    await expect(dialog.getByRole('alert')).toContainText('speaker/extension.ts has changed since the plan was read');
    expect(await server.read('speaker/extension.ts')).toContain('theirs');
    await dialog.getByRole('button', { name: 'Refresh' }).click();
    await expect(dialog.getByRole('table', { name: 'What changes in speaker/extension.ts' })).toContainText('// theirs');
  });

  await test.step('the buttons of a revision are beside its text, and on a phone below it', async () => {
    const earlier = other.getByRole('listitem').filter({ has: other.getByRole('button', { name: 'Pin revision 2' }) });
    const topOf = async (button: string) => (await earlier.getByRole('button', { name: button }).boundingBox())?.y ?? 0;
    const underText = async () => {
      const files = await earlier.getByRole('list', { name: /^Files changed/ }).boundingBox();
      return (files?.y ?? 0) + (files?.height ?? 0);
    };
    await expect(earlier.getByRole('button')).toHaveCount(4);
    expect(await topOf('What changed')).toBe(await topOf('Pin revision 2'));
    expect(await topOf('Pin revision 2')).toBeLessThan(await underText());
    await other.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => (await topOf('What changed')) >= (await underText())).toBe(true);
  });

  await test.step('after a refresh the files are restored, and a later file is removed only if it is selected', async () => {
    await dialog.getByRole('checkbox', { name: 'Remove speaker/second.ts' }).check();
    await dialog.getByRole('button', { name: 'Write 1 file back, remove 1' }).click();
    await expect(dialog).toBeHidden();
    await says('first');
    expect(await server.read('speaker/extension.ts')).toBe(uses('first'));
    await expect(server.read('speaker/second.ts')).rejects.toThrow('ENOENT');
  });

  await test.step('the other browser shows that revision 1 serves, and the timeline shows the edit', async () => {
    await expect(other.getByRole('button', { name: 'Roll back to 1' })).toHaveCount(0);
    await expect(other.getByRole('button', { name: 'Roll back to 3' })).toBeVisible();
    await other.goto(`${server.address}/timeline?extension=speaker`);
    await expect(other.getByRole('region', { name: 'Versions' })).toContainText(/edited speaker\/second\.ts/i);
  });
  await other.close();
});
