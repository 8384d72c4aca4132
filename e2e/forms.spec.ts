import type { Page } from '@playwright/test';
import { callSchema } from '#lib/contract/call.ts';
import type { Call } from '#lib/contract/call.ts';
import { API } from '#lib/contract/paths.ts';
import { NUMBERS, TEXTS, WORDS } from './harness/form-cases.ts';
import type { FormCase } from './harness/form-cases.ts';
import { createFiller } from './harness/form-filler.ts';
import { openConstruct } from './harness/form-walk.ts';
import { LISTS } from './harness/list-cases.ts';
import { OBJECTS } from './harness/object-cases.ts';
import { expect, test } from './harness/test.ts';
import { UNIONS } from './harness/union-cases.ts';
import { openPlace, runButton } from './harness/walk.ts';

// Each group takes half a minute, and they are independent.
test.describe.configure({ mode: 'parallel' });
test.use({ boardOptions: { shipped: [], fixtures: ['forms'], env: {} } });

/** The call of Run, once it has ended. */
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

const GROUPS: readonly [string, readonly FormCase[]][] = [
  ['texts and choices', TEXTS],
  ['numbers and answers', NUMBERS],
  ['lists and tuples', LISTS],
  ['objects, maps and references', OBJECTS],
  ['values with several forms, rules that depend', UNIONS],
  ['null, defaults, examples, secrets and words', WORDS],
];

for (const [name, cases] of GROUPS) {
  test(`${name}: what is filled in is what is sent`, async ({ page, board }) => {
    await page.goto('/');
    await openPlace(page, 'Tools');
    for (const { tool, fill, sent, result } of cases) {
      await test.step(`${tool} ${JSON.stringify(sent).slice(0, 60)}`, async () => {
        await openConstruct(page, tool);
        await fill(createFiller(page));
        const call = await runAndRead(page, board.address, tool);
        expect(call.arguments).toStrictEqual(sent);
        expect(call.result).toStrictEqual(result ?? { got: sent });
      });
    }
  });
}
