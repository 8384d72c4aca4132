import type { Page } from '@playwright/test';
import { type Call, callSchema } from '#lib/contract/call.ts';
import { API } from '#lib/contract/paths.ts';
import { NUMBERS, TEXTS, WORDS } from '#lib/testing/form-cases/form-cases.ts';
import { LISTS, OBJECTS } from '#lib/testing/form-cases/object-cases.ts';
import { UNIONS } from '#lib/testing/form-cases/union-cases.ts';
import { createFiller } from './harness/form-filler.ts';
import { openEmptyForm } from './harness/form-navigation.ts';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

/** Runs the tool and resolves with its finished call. */
async function runAndRead(page: Page, address: string, tool: string): Promise<Call> {
  const answer = page.waitForResponse((response) => response.url().endsWith(API.callTool(tool)));
  await runButton(page).click();
  const { id } = callSchema.parse(await (await answer).json());
  let call: Call | null = null;
  await expect
    .poll(async () => {
      call = callSchema.parse(await (await fetch(`${address}${API.call(id)}`)).json());
      return call.status;
    })
    .toBe('succeeded');
  if (call === null) throw new Error('no call');
  return call;
}

const CASES = [...TEXTS, ...NUMBERS, ...LISTS, ...OBJECTS, ...UNIONS, ...WORDS];
// One construct for each kind of widget; components/tool-form/form-constructs.test.tsx tests all on the DOM.
const WIDGETS = [
  ['read_lines', 'read_date', 'choose_integer', 'choose_many', 'count_number', 'flag_optional'],
  ['list_objects', 'place_pair', 'map_texts', 'keep_free_object'],
  ['either_shape', 'depend_if', 'null_text', 'suggest_examples', 'write_only'],
].flat();

test('the values entered in each kind of widget are sent', async ({ page, server }) => {
  await page.goto('/tools');
  for (const name of WIDGETS) {
    await test.step(name, async () => {
      const found = CASES.find(({ tool, sent }) => tool === name && JSON.stringify(sent) !== '{}');
      if (found === undefined) throw new Error('The tool has no case.');
      const { tool, fill, sent, result } = found;
      await openEmptyForm(page, tool);
      await fill(createFiller(page));
      const call = await runAndRead(page, server.address, tool);
      expect(call.arguments).toStrictEqual(sent);
      expect(call.result).toStrictEqual(result ?? { got: sent });
    });
  }
});
