import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { saveCallSchema } from '#lib/contract/saved-call.ts';
import { type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';
import type * as watcher from './watcher.ts';

/** The tests emit the events, and so decide when a save has settled. */
let events: Pick<watcher.WatcherOptions, 'onPause' | 'onChange'>;
let living: LivingHost;
let entry: string;
let imports: string;
let calls: string;

vi.mock('./watcher.ts', async (importOriginal) => {
  const original = await importOriginal<typeof watcher>();
  return {
    ...original,
    createWatcher(options: watcher.WatcherOptions) {
      events = options;
      return original.createWatcher({ ...options, mode: 'off' });
    },
  };
});

beforeEach(async () => {
  living = await startHost({ 'a/extension.ts': noted('one') }, { prewarms: true });
  entry = path.join(living.folder, 'extensions', 'a', 'extension.ts');
  imports = path.join(living.folder, 'extensions', 'a', 'imports.txt');
  calls = path.join(living.folder, 'extensions', 'a', 'calls.txt');
  // The scans after a start would find a save: these are requested before the first of them ends.
  await living.reload();
  await living.reload();
});
afterEach(() => living.remove());

it('starts the process of a save before it has settled, and serves it afterwards', async () => {
  await save(noted('two'));
  await vi.waitFor(async () => expect(await imported()).toEqual(['one', 'two']), PATIENCE);
  expect(living.extension('a')).toMatchObject({ revision: 1, serving_revision: 1 });
  expect(await answer()).toBe('one');
  events.onChange([entry], true);
  await vi.waitFor(async () => expect(await answer()).toBe('two'), PATIENCE);
  expect(living.extension('a')).toMatchObject({ state: 'ready', revision: 2, serving_revision: 2 });
  expect(await imported()).toEqual(['one', 'two']);
});

it('neither serves nor records a partial save that was loaded ahead', async () => {
  await save(noted('half'));
  await vi.waitFor(async () => expect(await imported()).toEqual(['one', 'half']), PATIENCE);
  await writeFile(entry, noted('whole'));
  events.onChange([entry], false);
  const answers = new Set<unknown>();
  await vi.waitFor(async () => {
    answers.add(await answer());
    expect(living.extension('a')).toMatchObject({ state: 'ready', serving_revision: 2 });
  }, PATIENCE);
  expect(await answer()).toBe('whole');
  expect([...answers]).not.toContain('half');
  expect(living.extension('a')).toMatchObject({ revision: 2 });
  expect(living.log.filter((line) => line.includes('failed ('))).toEqual([]);
});

it('commits a partial save when the later events change nothing', async () => {
  await save(noted('two'));
  await vi.waitFor(async () => expect(await imported()).toEqual(['one', 'two']), PATIENCE);
  events.onChange([entry], false);
  await vi.waitFor(async () => expect(await answer()).toBe('two'), PATIENCE);
  expect(living.extension('a')).toMatchObject({ state: 'ready', revision: 2 });
  expect(await imported()).toEqual(['one', 'two']);
});

it('runs no required check before the save has settled', async () => {
  const check = saveCallSchema.parse({ tool: 'first_tool', name: 'Answers', expectation: {}, required: true });
  must(await living.host.savedCalls.save(check, { name: 'Ada' }));
  const checked = async (): Promise<number> => (await readFile(calls, 'utf8').catch(() => '')).length;
  await save(noted('two', "(appendFileSync(import.meta.dirname + '/calls.txt', '.'), 'two')"));
  await vi.waitFor(async () => expect(await imported()).toEqual(['one', 'two']), PATIENCE);
  await wait(100);
  expect(await checked()).toBe(0);
  events.onChange([entry], true);
  await vi.waitFor(() => expect(living.extension('a')).toMatchObject({ state: 'ready', serving_revision: 2 }), PATIENCE);
  expect(await checked()).toBe(1);
});

it('starts no process for a source that was loaded before or that cannot be built', async () => {
  await save(noted('one'));
  await save('export const TOOL = {');
  events.onChange([entry], true);
  await vi.waitFor(() => expect(living.extension('a')?.failure?.code).toBe('syntax_error'), PATIENCE);
  expect(await imported()).toEqual(['one']);
});

it('ends the process of a save that never settles when the server stops', async () => {
  await save(noted('two'));
  await vi.waitFor(async () => expect(await imported()).toEqual(['one', 'two']), PATIENCE);
  await living.host.close();
  expect(living.log.filter((line) => line.includes('failed ('))).toEqual([]);
});

const PATIENCE = { timeout: 15_000, interval: 5 };

/** Records each import in a file beside it. */
function noted(answer: string, value = JSON.stringify(answer)): string {
  return `import { appendFileSync } from 'node:fs';\nappendFileSync(import.meta.dirname + '/imports.txt', '${answer} ');\n${oneTool('first_tool', answer).replace(JSON.stringify(answer), value)}`;
}

async function save(text: string): Promise<void> {
  await writeFile(entry, text);
  events.onPause?.([entry], true);
}

async function imported(): Promise<readonly string[]> {
  return (await readFile(imports, 'utf8')).trim().split(' ');
}

async function answer(): Promise<unknown> {
  const { result } = await living.call('first_tool');
  return result !== null && typeof result === 'object' && 'answer' in result ? result.answer : result;
}
