import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Extension } from '#lib/contract/extension.ts';
import type { Host } from './host.ts';
import { type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost | null = null;
const NOBODY = { name: 'Ada' };
const PATIENCE = { timeout: 15_000 };
const BROKEN = `throw new Error('broken at import');`;

/** One extension with revisions 1, 2 and 3; the newest serves. */
async function startWithThree(options: Parameters<typeof startHost>[1] = {}): Promise<LivingHost> {
  living = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one') }, options);
  await saveAs('two', 2);
  await saveAs('three', 3);
  return living;
}

async function saveAs(answer: string, revision: number): Promise<void> {
  await living?.save({ 'a/extension.ts': oneTool('first_tool', answer) });
  await vi.waitFor(() => expect(living?.extension('a')?.revision).toBe(revision), PATIENCE);
}

async function restart(): Promise<void> {
  if (living !== null) living = await living.restart();
}

const actions = (): Host['extensions'] => {
  if (living === null) throw new Error('nothing was started');
  return living.host.extensions;
};
const shown = (): Extension | undefined => living?.extension('a');
const answer = async (): Promise<unknown> => (await living?.call('first_tool'))?.result;

afterEach(async () => {
  await living?.remove();
  living = null;
});

describe('a pinned or rolled-back revision', () => {
  it('serves again after it is disabled and enabled (pinned)', async () => {
    await startWithThree();
    must(await actions().pin('a', 2, NOBODY));
    must(await actions().disable('a', NOBODY));
    expect(must(await actions().enable('a', NOBODY))).toMatchObject({ revision: 3, serving_revision: 2, pinned_revision: 2 });
    expect(await answer()).toMatchObject({ answer: 'two' });
  });

  it('serves again after it is disabled and enabled (rolled back), until the next save', async () => {
    await startWithThree();
    must(await actions().rollback('a', 1, NOBODY));
    must(await actions().disable('a', NOBODY));
    expect(must(await actions().enable('a', NOBODY))).toMatchObject({ revision: 3, serving_revision: 1 });
    await saveAs('four', 4);
    expect(await answer()).toMatchObject({ answer: 'four' });
  });

  it('is not one chosen earlier, after a restart too', async () => {
    await startWithThree();
    must(await actions().rollback('a', 1, NOBODY));
    await restart();
    expect(shown()).toMatchObject({ revision: 3, serving_revision: 1 });
    must(await actions().pin('a', 2, NOBODY));
    must(await actions().disable('a', NOBODY));
    expect(must(await actions().enable('a', NOBODY))).toMatchObject({ serving_revision: 2 });
    must(await actions().unpin('a', NOBODY));
    must(await actions().disable('a', NOBODY));
    expect(must(await actions().enable('a', NOBODY))).toMatchObject({ serving_revision: 3 });
  });

  it('is not set when the newest failed and works after a restart', async () => {
    const { folder, save } = await startWithThree();
    const needed = path.join(folder, 'workspace', 'needed.txt');
    const reads = `import { readFileSync } from 'node:fs';\nreadFileSync(${JSON.stringify(needed)});\n`;
    await save({ 'a/extension.ts': `${reads}${oneTool('first_tool', 'four')}` });
    await vi.waitFor(() => expect(shown()).toMatchObject({ state: 'degraded', revision: 4, serving_revision: 3 }), PATIENCE);
    await writeFile(needed, '');
    await restart();
    expect(shown()).toMatchObject({ state: 'ready', revision: 4, serving_revision: 4 });
    expect(await answer()).toMatchObject({ answer: 'four' });
  });

  it('is not set once unpinned while disabled, after a restart too', async () => {
    await startWithThree();
    must(await actions().pin('a', 2, NOBODY));
    must(await actions().disable('a', NOBODY));
    must(await actions().unpin('a', NOBODY));
    await restart();
    expect(must(await actions().enable('a', NOBODY))).toMatchObject({ revision: 3, serving_revision: 3, pinned_revision: null });
    expect(await answer()).toMatchObject({ answer: 'three' });
  });

  it('after a rollback serves across a restart, with KEEP_LAST_GOOD=false too, until the next save', async () => {
    await startWithThree({ keepLastGood: false });
    must(await actions().rollback('a', 1, NOBODY));
    await restart();
    expect(shown()).toMatchObject({ state: 'ready', revision: 3, serving_revision: 1 });
    await living?.save({ 'a/extension.ts': BROKEN });
    await vi.waitFor(() => expect(shown()).toMatchObject({ state: 'failed', revision: 4, serving_revision: null }), PATIENCE);
    must(await actions().rollback('a', 1, NOBODY));
    expect(shown()).toMatchObject({ state: 'degraded', revision: 4, serving_revision: 1 });
    await living?.reload(['a']);
    expect(shown()).toMatchObject({ state: 'degraded', revision: 4, serving_revision: 1 });
    await restart();
    expect(shown()).toMatchObject({ state: 'degraded', revision: 4, serving_revision: 1 });
    expect(await answer()).toMatchObject({ answer: 'one' });
    await saveAs('five', 5);
    expect(await answer()).toMatchObject({ answer: 'five' });
  });

  it('when pinned serves whatever is saved, with KEEP_LAST_GOOD=false too', async () => {
    await startWithThree({ keepLastGood: false });
    must(await actions().pin('a', 2, NOBODY));
    await living?.save({ 'a/extension.ts': BROKEN });
    await vi.waitFor(() => expect(shown()).toMatchObject({ state: 'degraded', revision: 4, serving_revision: 2 }), PATIENCE);
    expect(await answer()).toMatchObject({ answer: 'two' });
    await restart();
    expect(shown()).toMatchObject({ state: 'degraded', revision: 4, serving_revision: 2 });
    expect(await answer()).toMatchObject({ answer: 'two' });
  });
});

describe('a disabled extension', () => {
  it('still shows its last attempt, and a restart creates no version', async () => {
    await startWithThree();
    must(await actions().rollback('a', 1, NOBODY));
    must(await actions().disable('a', NOBODY));
    const before = { version: actions().list().version, extension: shown() };
    await restart();
    expect(actions().list().version).toBe(before.version);
    expect(shown()).toMatchObject({ state: 'disabled', revision: 3, content_hash: before.extension?.content_hash });
    expect(must(await actions().enable('a', NOBODY))).toMatchObject({ revision: 3, serving_revision: 1 });
  });
});
