import type { Page } from '@playwright/test';
import { EVIL } from './fixtures/hostile/evil.ts';
import { expect, test } from './harness/test.ts';
import { callLog, runButton } from './harness/navigation.ts';

test.use({ serverOptions: { fixtures: ['hostile', 'hostile-broken', 'results'], env: { EXTENSION_EXCLUDED_EXTENSIONS: 'shell' } } });

/**
 * Hostile texts of extensions. The page watch fails each test at the first dialog, blocked script or request; these tests also
 * search the page for injected elements.
 */
const INJECTED_ELEMENTS = `[...document.querySelectorAll('*')].filter((element) =>
  [...element.attributes].some(({ name, value }) => /^on/i.test(name) || (/^(href|src|action|formaction|xlink:href)$/i.test(name) && /^\\s*javascript:/i.test(value)))
  || element.matches('iframe, object, embed, base, math, video, audio, template, noscript p, meta[http-equiv=refresh], img[src="/nowhere.png"], img[src="x"], b, script:not([src]):not([nonce])')
  || element.matches('script[src*="evil.example"], link[href*="evil.example"], img[src*="evil.example"]')
).map((element) => element.outerHTML.slice(0, 200))`;

/** Texts and attributes with bidirectional or invisible characters; field values are exempt, since they are sent. */
const INVISIBLE_CHARACTERS = `(() => {
  const unseen = /(?![\\t\\n\\r])[\\p{Cc}\\p{Bidi_Control}\\u200b-\\u200d\\u2028\\u2029\\u2060-\\u206f\\ufeff\\u{e0000}-\\u{e007f}]/u;
  const found = [document.title].filter((text) => unseen.test(text));
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement.closest('script, style, textarea') === null && unseen.test(node.data))
      found.push(node.parentElement.outerHTML.slice(0, 200) + ' … ' + JSON.stringify(node.data.slice(Math.max(0, node.data.search(unseen) - 20)).slice(0, 60)));
  }
  for (const element of document.querySelectorAll('body *'))
    for (const name of ['title', 'alt', 'placeholder', 'aria-label', 'aria-description', 'aria-valuetext', 'label'])
      if (unseen.test(element.getAttribute(name) ?? '')) found.push(name + ' of ' + element.outerHTML.slice(0, 200));
  return found;
})()`;

async function expectNothingInjected(page: Page): Promise<void> {
  // React removes its templates once the page has streamed in.
  await expect.poll(() => page.evaluate<string[]>(INJECTED_ELEMENTS)).toEqual([]);
  expect(await page.evaluate<string[]>(INVISIBLE_CHARACTERS)).toEqual([]);
}

const VISIBLE = 'alert("script")';

test('the texts of an extension are shown as plain text on every page', async ({ page }) => {
  const open = async (address: string) => {
    await page.goto(address);
    await expect(page.getByRole('status', { name: 'Connection' })).toHaveText('Live');
    await expect(page.getByRole('main')).toContainText(/hostile|say_evil_things/);
    await expectNothingInjected(page);
  };
  for (const address of ['/tools', '/tools?group=label', '/extensions', '/extensions/hostile'])
    await test.step(address, () => open(address));
  for (const [tab, words] of [
    ['Settings', 'hostile'],
    ['Status', VISIBLE],
    ['Logs', VISIBLE],
    ['Warnings', 'say_evil_things'],
  ] as const)
    await test.step(`the tab ${tab}`, async () => {
      await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
      await expect(page.getByRole('tabpanel')).toContainText(words);
      await expectNothingInjected(page);
    });
});

test('a load failure with markup and escape sequences is shown as plain text', async ({ page }) => {
  await page.goto('/extensions/hostile-broken');
  const failure = page.getByRole('region', { name: 'Failure' });
  await expect(failure).toContainText('<script>alert("frame")</script>');
  await expect(failure.getByRole('region', { name: 'Output' })).toContainText('<img src="/nowhere.png" onerror="alert(1)">');
  await expect(failure.getByRole('region', { name: /^Source around the error/ })).toContainText('throw new Error');
  await expectNothingInjected(page);
});

test('a hostile form, log, progress, result and error of a tool are shown as plain text', async ({ page, server }) => {
  await page.goto('/tools/say_evil_things');
  await expect(runButton(page)).toBeEnabled();
  await expect(page.getByRole('main')).toContainText(VISIBLE);
  await page.getByRole('combobox').first().selectOption({ index: 1 });
  await runButton(page).click();
  const question = page.getByRole('alertdialog', { name: 'Run say_evil_things?' });
  await expect(question).toBeVisible();
  await expectNothingInjected(page);
  await question.getByRole('button', { name: 'Run say_evil_things' }).click();
  await expect(page.getByText('say_evil_things: Succeeded')).toBeAttached();
  await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('javascript:alert(\\"link\\")');
  await expectNothingInjected(page);
  await page.getByRole('tab', { name: /^Logs/ }).click();
  await expect(callLog(page)).toContainText('<script>alert("script")</script>');
  await page.getByRole('tab', { name: 'Raw' }).click();
  await expectNothingInjected(page);

  const failed = await server.call('say_evil_things', { fail: true, [EVIL]: EVIL }, { 'x-actor': '<script>alert(1)</script>' });
  for (const address of [
    `/calls/${failed.id}`,
    '/calls',
    `/calls?actor=${encodeURIComponent('<script>alert(1)</script>')}&q=${encodeURIComponent(EVIL.slice(0, 200))}`,
    '/',
  ]) {
    await page.goto(address);
    await expect(page.getByRole('status', { name: 'Connection' })).toHaveText('Live');
    await expectNothingInjected(page);
  }
});

test('markup in a URL is shown as plain text', async ({ page, watch }) => {
  watch.expect(/answer 404|status of 404/);
  const script = encodeURIComponent('<script>alert(1)</script><img src=x onerror=alert(2)>');
  for (const address of [
    `/extensions/${script}`,
    `/tools/${script}`,
    `/calls/${script}`,
    `/${script}`,
    `/extensions?q=${script}`,
    `/tools?q=${script}`,
    `/calls?tool=${script}&status=${script}`,
  ]) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
    await expectNothingInjected(page);
  }
});

// components/calls/result/hostile-results.test.tsx renders each payload in each view on the DOM.
test('no view of a result injects elements or unsafe links', async ({ page, server }) => {
  for (const kind of ['evil', 'evil_text', 'evil_markdown', 'evil_rows', 'evil_texts']) {
    const call = await server.call('show_result', { kind });
    await page.goto(`/calls/${call.id}`);
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await expect(result).toContainText('<iframe');
    await expect(result.getByRole('img')).toHaveCount(0);
    await expectNothingInjected(page);
    const views = page.getByRole('group', { name: /^How Result/ }).getByRole('button');
    // Views of parts come first: another view of the result removes them.
    for (const view of (await views.all()).toReversed()) {
      await view.click();
      await expect(view).toHaveAttribute('aria-pressed', 'true');
      await expectNothingInjected(page);
      // Links may only lead to http and https.
      for (const link of await result.getByRole('link').all()) await expect(link).toHaveAttribute('href', /^https?:/);
    }
  }
});
