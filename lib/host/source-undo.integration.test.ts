import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { UndoPlan } from '#lib/contract/source-file.ts';
import { type LivingHost, must, refusal, startHost } from '#lib/testing/living-host.ts';

const ADA = { name: 'Ada' };
const PATIENCE = { timeout: 15_000 };

const entry = (helper: string): string =>
  `import { word } from './${helper}.ts';\nexport const TOOL = { label: 'T', name: 'say_word', description: 'Says it.', parameters: {}, execute: () => word };\n`;
const helper = (word: string): string => `export const word = '${word}';\n`;

const ONE_FILE = '/** Counts up. */\nexport function run(from: number): number {\n  return from + 1;\n}\n';

let living: LivingHost;
let alone: LivingHost | null = null;
beforeAll(async () => {
  living = await startHost({ 'a/extension.ts': entry('old'), 'a/old.ts': helper('one'), 'a/notes.md': 'kept' });
});
afterAll(() => living.remove());
afterEach(async () => {
  await alone?.remove();
  alone = null;
});

function serves(id: string, revision: number) {
  return vi.waitFor(() => expect(living.extension(id)).toMatchObject({ state: 'ready', serving_revision: revision }), PATIENCE);
}

const readBack = (file: string): Promise<string> => readFile(path.join(living.folder, 'extensions', file), 'utf8');
const asSeen = (files: readonly { readonly path: string; readonly hash: string | null }[]) =>
  Object.fromEntries(files.map((file) => [file.path, file.hash]));
const plan = async (id: string, revision: number): Promise<UndoPlan> => must(await living.host.extensions.planUndo(id, revision));

describe('the files of an extension', () => {
  it('are restored from a revision, as an edit with its author; later files are removed on request', async () => {
    const { host, save, call } = living;
    await save({ 'a/new.ts': helper('two'), 'a/extension.ts': entry('new'), 'a/old.ts': null });
    await serves('a', 2);
    const found = await plan('a', 1);
    expect(found).toMatchObject({ extension: 'a', revision: 1, read_only: false, same: 0, left: [], extra: [{ path: 'a/new.ts' }] });
    expect(found.files).toMatchObject([
      { path: 'a/extension.ts', before: entry('new'), after: entry('old'), used_by: [] },
      { path: 'a/old.ts', before: null, hash: null, after: helper('one') },
    ]);
    const remove = Object.fromEntries(found.extra.map((file) => [file.path, file.hash]));
    const done = must(await host.extensions.undo('a', { revision: 1, files: asSeen(found.files), remove }, ADA));
    expect(done).toEqual({ extension: 'a', revision: 1, written: ['a/extension.ts', 'a/old.ts'], removed: ['a/new.ts'], changed: ['a'] });
    expect((await call('say_word')).result).toBe('one');
    expect(living.extension('a')).toMatchObject({ state: 'ready', revision: 1, serving_revision: 1 });
    expect(must(await host.snapshots.list({ extension: 'a', limit: 1 })).snapshots[0]?.cause).toMatchObject({ kind: 'edit', actor: 'Ada' });
    expect(await readBack('a/old.ts')).toBe(helper('one'));
    await expect(readBack('a/new.ts')).rejects.toThrow('ENOENT');
    expect(await readBack('a/notes.md')).toBe('kept');
    expect(await plan('a', 1)).toMatchObject({ files: [], extra: [], same: 2 });
    expect(refusal(await host.extensions.undo('a', { revision: 1, files: {}, remove: {} }, ADA)).code).toBe('state_conflict');
  });

  it('of a removed extension are restored in one edit, and an unknown extension is refused', async () => {
    alone = await startHost({ 'gone/extension.ts': entry('old'), 'gone/old.ts': helper('one'), 'tools/count_up.ts': ONE_FILE });
    const { host, save } = alone;
    await save({ gone: null, 'tools/count_up.ts': null });
    await vi.waitFor(() => expect(host.extensions.list().extensions).toEqual([]), PATIENCE);
    for (const [id, names] of [
      ['gone', ['gone/extension.ts', 'gone/old.ts']],
      ['tools/count_up', ['tools/count_up.ts']],
    ] as const) {
      const found = must(await host.extensions.planUndo(id, 1));
      expect(found).toMatchObject({ same: 0, extra: [], left: [] });
      expect(found.files.map(({ path: file, before }) => [file, before])).toEqual(names.map((name) => [name, null]));
      const done = must(await host.extensions.undo(id, { revision: 1, files: asSeen(found.files), remove: {} }, ADA));
      expect(done).toMatchObject({ written: expect.arrayContaining([...names]), changed: [id] });
      expect(alone.extension(id)).toMatchObject({ state: 'ready', revision: 1 });
    }
    expect((await alone.call('say_word')).result).toBe('one');
    expect(refusal(await host.extensions.planUndo('never', 1)).code).toBe('extension_not_found');
  });

  it('are one edit also when they are many, and never loaded in part', async () => {
    const names = Array.from({ length: 150 }, (_, at) => `part_${at}`);
    const all = (word: string) => Object.fromEntries(names.map((name) => [`many/${name}.ts`, helper(word)]));
    const uses = names.map((name) => `import { word as ${name} } from './${name}.ts';`).join('\n');
    const extension = `${uses}\nexport const TOOL = { label: 'T', name: 'say_all', description: 'Says all.', parameters: {}, execute: () => [...new Set([${names.join(', ')}])].join() };\n`;
    alone = await startHost({ ...all('one'), 'many/extension.ts': extension });
    await alone.save(all('two'));
    await vi.waitFor(async () => expect((await alone?.call('say_all'))?.result).toBe('two'), PATIENCE);
    const { extensions, snapshots } = alone.host;
    const before = must(await snapshots.list({ extension: 'many', limit: 50 })).snapshots.length;
    const { files } = must(await extensions.planUndo('many', 1));
    expect(files).toHaveLength(150);
    must(await extensions.undo('many', { revision: 1, files: asSeen(files), remove: {} }, ADA));
    expect((await alone.call('say_all')).result).toBe('one');
    const since = must(await snapshots.list({ extension: 'many', limit: 50 })).snapshots.slice(0, -before);
    expect(since.map(({ cause }) => cause.kind)).toEqual(['edit']);
  });

  it('are unchanged when one was edited since, and when the request does not match the plan', async () => {
    const { extensions, sources } = living.host;
    const seen = await plan('a', 2);
    const request = { revision: 2, files: asSeen(seen.files), remove: {} };
    await living.save({ 'a/extension.ts': `${entry('old')}// theirs\n` });
    const refused = refusal(await extensions.undo('a', request, ADA));
    expect(refused).toMatchObject({ code: 'source_changed' });
    expect(refused.detail).toContain('a/extension.ts has changed since the plan was read');
    expect(await readBack('a/extension.ts')).toContain('theirs');
    await expect(readBack('a/new.ts')).rejects.toThrow('ENOENT');
    const files = asSeen((await plan('a', 2)).files);
    const { hash } = must(await sources.read('a/notes.md'));
    expect(refusal(await extensions.undo('a', { ...request, files: { ...files, 'a/notes.md': hash } }, ADA)).code).toBe('source_changed');
    expect(refusal(await extensions.undo('a', { ...request, files, remove: { 'a/notes.md': hash } }, ADA)).code).toBe('source_changed');
    expect(await readBack('a/notes.md')).toBe('kept');
    expect(refusal(await extensions.planUndo('a', 99)).code).toBe('revision_not_found');
    expect(refusal(await extensions.planUndo('nobody', 1)).code).toBe('extension_not_found');
  });

  it('that other extensions use list these extensions, and are never removed; in Python too', async () => {
    const tool = (from: string): string => `from ${from} import word\n\ndef run():\n    """Says it."""\n    return word\n`;
    await living.save({
      'tools/_words.py': 'word = "one"\n',
      'tools/_more.py': 'word = "more"\n',
      'tools/say_one.py': tool('_words'),
      'tools/say_two.py': tool('_words'),
      'tools/say_more.py': tool('_more'),
    });
    await Promise.all([serves('tools/say_one', 1), serves('tools/say_two', 1), serves('tools/say_more', 1)]);
    await living.save({ 'tools/_words.py': 'word = "two"\n' });
    await Promise.all([serves('tools/say_one', 2), serves('tools/say_two', 2)]);
    await living.save({ 'tools/say_one.py': tool('_more') });
    await serves('tools/say_one', 3);
    const found = await plan('tools/say_one', 1);
    expect(found.files).toMatchObject([
      { path: 'tools/_words.py', after: 'word = "one"\n', used_by: ['tools/say_two'] },
      { path: 'tools/say_one.py', used_by: [] },
    ]);
    expect(found.extra).toEqual([]);
    must(await living.host.extensions.undo('tools/say_one', { revision: 1, files: asSeen(found.files), remove: {} }, ADA));
    expect((await living.call('say_one')).result).toBe('one');
    expect((await living.call('say_two')).result).toBe('one');
    expect(living.extension('tools/say_one')).toMatchObject({ revision: 1, serving_revision: 1 });
  });

  it('are unchanged when they share one mcp.json, and when editing is off', async () => {
    const servers = (command: string): string => JSON.stringify({ mcpServers: { x: { command } } });
    alone = await startHost({ 'mcp.json': servers('not-there'), 'b/extension.ts': helper('b') }, { readOnlyExtensions: true });
    const { extensions } = alone.host;
    expect(must(await extensions.planUndo('x', 1))).toMatchObject({ read_only: true, files: [], left: [] });
    await alone.save({ 'mcp.json': servers('not-there-either'), 'b/extension.ts': helper('other') });
    await vi.waitFor(() => expect(alone?.extension('x')?.revision).toBe(2), PATIENCE);
    await vi.waitFor(() => expect(alone?.extension('b')?.revision).toBe(2), PATIENCE);
    expect(must(await extensions.planUndo('x', 1)).left).toMatchObject([{ path: 'mcp.json (x)' }]);
    const { files } = must(await extensions.planUndo('b', 1));
    expect(files).toHaveLength(1);
    expect(refusal(await extensions.undo('b', { revision: 1, files: asSeen(files), remove: {} }, ADA)).code).toBe('source_read_only');
  });
});
