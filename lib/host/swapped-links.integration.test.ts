import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LivingHost, oneTool, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost;
afterEach(() => living.remove());

const PATIENCE = { timeout: 60_000 };
const PYTHON = (answer: string): string =>
  `TOOL = {"label": "x", "name": "py_tool", "description": "Answers.", "parameters": {}, "execute": lambda: {"answer": "${answer}"}}\n`;

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(living.folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Swaps a link like a deployment: the link exists at every moment. */
async function point(link: string, target: string): Promise<void> {
  const place = path.join(living.folder, link);
  await symlink(path.join(living.folder, target), `${place}.next`);
  await rename(`${place}.next`, place);
}

const answerOf = async (tool: string): Promise<unknown> => {
  const { status, result } = await living.call(tool);
  return status === 'succeeded' && typeof result === 'object' && result !== null && 'answer' in result ? result.answer : status;
};
const seen = (tool: string, answer: string) =>
  vi.waitFor(async () => expect(await answerOf(tool).catch(() => 'no such tool')).toBe(answer), PATIENCE);

/** Links are detected a moment after their targets were loaded. */
const untilLinksAreKnown = () => wait(2_500);

async function startRelease(watch: 'native' | 'polling' | 'off'): Promise<void> {
  living = await startHost({}, { prewarms: true });
  const release = (number: string) => ({
    [`releases/${number}/extensions/a/extension.ts`]: `import { word } from '../_lib/word.ts';\n${oneTool('node_tool', number)}export const NAME = word;`,
    [`releases/${number}/extensions/_lib/word.ts`]: `export const word = 'word';`,
    [`releases/${number}/extensions/p/extension.py`]: PYTHON(number),
    [`releases/${number}/extensions/same/extension.ts`]: oneTool('same_tool', 'same'),
  });
  await write({ ...release('1'), ...release('2') });
  await point('current', 'releases/1');
  living = await living.restart({ extensionsDir: path.join(living.folder, 'current/extensions'), watch, loadTimeoutMs: 60_000 });
  expect([await answerOf('node_tool'), await answerOf('py_tool')]).toEqual(['1', '1']);
}

describe('an extensions folder behind a link', () => {
  it.each(['native', 'polling'] as const)('that is swapped is noticed, as are later saves (%s)', async (watch) => {
    await startRelease(watch);
    const before = living.extension('same')?.process.pid;
    await point('current', 'releases/2');
    await Promise.all([seen('node_tool', '2'), seen('py_tool', '2')]);
    await rm(path.join(living.folder, 'releases/1'), { recursive: true });
    await vi.waitFor(() => expect(living.extension('same')?.process.pid).not.toBe(before), PATIENCE);
    expect(living.extension('same')).toMatchObject({ state: 'ready', revision: 1 });
    expect(await answerOf('same_tool')).toBe('same');
    await write({ 'releases/2/extensions/a/extension.ts': oneTool('node_tool', 'saved') });
    await seen('node_tool', 'saved');
    await write({ 'releases/2/extensions/b/extension.ts': oneTool('new_tool', 'new') });
    await seen('new_tool', 'new');
    await vi.waitFor(() => expect(living.host.extensions.list().watch.mode).toBe(watch), PATIENCE);
  });

  it('that is swapped is noticed by Reload without watching', async () => {
    await startRelease('off');
    await point('current', 'releases/2');
    await rm(path.join(living.folder, 'releases/1'), { recursive: true });
    expect((await living.reload()).changed.toSorted()).toEqual(['a', 'p']);
    expect([await answerOf('node_tool'), await answerOf('py_tool'), await answerOf('same_tool')]).toEqual(['2', '2', 'same']);
  });

  it('does not change file names: neither revisions nor failures contain the release', async () => {
    await startRelease('off');
    await write({ 'releases/2/extensions/_lib/word.ts': 'export const word = ;' });
    await point('current', 'releases/2');
    await living.reload();
    expect(living.extension('a')?.failure).toMatchObject({ code: 'syntax_error', file: '_lib/word.ts', line: 1 });
    expect(living.extension('same')).toMatchObject({ revision: 1 });
    expect(JSON.stringify(living.extension('a')?.failure)).not.toContain('releases');
  });
});

describe('an extension behind links', () => {
  it('is noticed when a link in the middle of its path is swapped', async () => {
    living = await startHost({}, { prewarms: true });
    await write({ 'v1/rel/extension.ts': oneTool('get_release', 'v1'), 'v2/rel/extension.ts': oneTool('get_release', 'v2') });
    await point('current', 'v1');
    await symlink(path.join(living.folder, 'current/rel'), path.join(living.folder, 'extensions/rel'));
    await seen('get_release', 'v1');
    await untilLinksAreKnown();
    await point('current', 'v2');
    await seen('get_release', 'v2');
    await write({ 'v2/rel/extension.ts': oneTool('get_release', 'saved') });
    await seen('get_release', 'saved');
    expect(living.extension('rel')).toMatchObject({ state: 'ready' });
  });

  it('is reloaded when the link to its helpers is swapped, by watching and by Reload', async () => {
    living = await startHost({}, { prewarms: true });
    const helper = (word: string) => `export const word = '${word}';`;
    await write({ 'v1/word.ts': helper('one'), 'v2/word.ts': helper('two'), 'v3/word.ts': helper('three') });
    await point('words', 'v1');
    await symlink(path.join(living.folder, 'words'), path.join(living.folder, 'extensions/_words'));
    const tool = oneTool('get_word', 'x').replace('"x"', 'word');
    await living.save({ 'a/extension.ts': `import { word } from '../_words/word.ts';\n${tool}` });
    await seen('get_word', 'one');
    await untilLinksAreKnown();
    await point('words', 'v2');
    await seen('get_word', 'two');
    living = await living.restart({ watch: 'off' });
    await point('words', 'v3');
    expect((await living.reload()).changed).toEqual(['a']);
    expect(await answerOf('get_word')).toBe('three');
  });

  it('keeps serving when the target of its link is removed, and loads the restored one', async () => {
    living = await startHost({}, { prewarms: true });
    await write({ 'share/linked/extension.ts': oneTool('linked_tool', 'one') });
    await symlink(path.join(living.folder, 'share/linked'), path.join(living.folder, 'extensions/linked'));
    await seen('linked_tool', 'one');
    await untilLinksAreKnown();
    await rename(path.join(living.folder, 'share'), path.join(living.folder, 'away'));
    await vi.waitFor(() => expect(living.extension('linked')?.failure?.code).toBe('unreadable'), PATIENCE);
    expect(await answerOf('linked_tool')).toBe('one');
    await write({ 'share/linked/extension.ts': oneTool('linked_tool', 'two') });
    await seen('linked_tool', 'two');
    await write({ 'share/linked/extension.ts': oneTool('linked_tool', 'three') });
    await seen('linked_tool', 'three');
  });
});

it('notices that the extensions folder was replaced, and later saves in it', async () => {
  living = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one') }, { prewarms: true });
  await write({ 'next/a/extension.ts': oneTool('first_tool', 'two') });
  const tested = (): string | null => living.host.extensions.list().watch.self_test.at;
  await vi.waitFor(() => expect(tested()).not.toBeNull(), PATIENCE);
  const at = tested();
  const folder = path.join(living.folder, 'extensions');
  await rename(folder, `${folder}-old`);
  await rename(path.join(living.folder, 'next'), folder);
  await seen('first_tool', 'two');
  await vi.waitFor(() => expect([null, at]).not.toContain(tested()), PATIENCE);
  await living.save({ 'b/extension.ts': oneTool('second_tool', 'new') });
  await seen('second_tool', 'new');
  expect(living.host.extensions.list().watch.mode).toBe('native');
});
