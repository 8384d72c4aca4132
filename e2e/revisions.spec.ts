import { expect, test } from './harness/test.ts';

test.use({ boardOptions: { fixtures: [], env: {} } });

const greeting = (parameters: string) => `export const TOOLS = [
  { label: 'Greeting', name: 'greet_person', description: 'Greets a person.', parameters: ${parameters}, execute: (args) => args },
];
`;

test('two revisions are compared: for callers, for recent calls, and in the sources', async ({ page, board }) => {
  await board.save('greeter/extension.ts', greeting(`{ name: { type: 'string' }, times: { type: 'integer', maximum: 9 } }`));
  await expect
    .poll(async () => (await board.call('greet_person', { name: 'Ada', times: 7 }).catch(() => null))?.status ?? null)
    .toBe('succeeded');
  await board.save(
    'greeter/extension.ts',
    greeting(`{ name: { type: 'string' }, times: { type: 'integer', maximum: 5 }, warmly: { type: 'boolean' } }`),
  );
  await page.goto('/extensions/greeter?tab=revisions');
  await page.getByRole('button', { name: 'What changed since revision 1' }).click();

  const comparison = page.getByRole('region', { name: 'Comparison of two revisions' });
  await expect(comparison).toContainText('Breaking');
  await expect(comparison).toContainText('maximum was 9 and is 5 now.');
  await expect(comparison).toContainText('It is new, and may be left out.');
  await expect(comparison).toContainText('Of 1 recent call, revision 2 would refuse 1:');
  await expect(comparison.getByRole('table', { name: 'Changes in greeter/extension.ts' })).toContainText('warmly');
  await expect(page).toHaveURL(/from=1&to=2/);

  await comparison.getByRole('combobox', { name: 'From revision' }).selectOption('2');
  await expect(comparison).toContainText('Choose two different revisions.');
  await comparison.getByRole('combobox', { name: 'To revision' }).selectOption('1');
  await expect(comparison).toContainText('It is not accepted any more.');
  await comparison.getByRole('button', { name: 'Close the comparison' }).click();
  await expect(comparison).toBeHidden();
});
