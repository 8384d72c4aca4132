import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LivingHost, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost;
let started: LivingHost | null = null;
afterEach(async () => {
  await started?.remove();
  started = null;
});

const PATIENCE = { timeout: 20_000 };
const answerOf = async (tool: string): Promise<unknown> => {
  const { status, result, error } = await living.call(tool);
  return status === 'succeeded' ? result : error?.message;
};
const seen = (tool: string, answer: string) =>
  vi.waitFor(async () => expect(await answerOf(tool).catch(() => 'no such tool')).toBe(answer), PATIENCE);

const nodeTool = (body: string, before = ''): string =>
  `${before}\nexport const TOOL = { label: 'x', name: 'get_word', description: 'Answers.', parameters: {}, async execute() { ${body} } };\n`;
const pythonTool = (body: string, before = ''): string =>
  `import importlib, importlib.util, os, pkgutil, sys\nHERE = os.path.dirname(__file__)\n${before}\ndef execute():\n    ${body}\n\nTOOL = {"label": "x", "name": "get_word", "description": "Answers.", "parameters": {}, "execute": execute}\n`;

const URLS = `import path from 'node:path'; import { pathToFileURL } from 'node:url';\nconst at = (name) => pathToFileURL(path.join(import.meta.dirname, name)).href;`;
const word = (text: string): string => `export const word: string = '${text}';\n`;

/** How an extension loads its own file at run time: entry, file, text of the file. */
const WAYS = [
  [
    'import(pathToFileURL(…)) while it is imported',
    'ts',
    nodeTool('return word;', `${URLS}\nconst { word } = await import(at('parts/word.ts'));`),
    'parts/word.ts',
    word,
  ],
  ['import(pathToFileURL(…)) in a call', 'ts', nodeTool(`return (await import(at('parts/word.ts'))).word;`, URLS), 'parts/word.ts', word],
  [
    'a file that such a file imports',
    'ts',
    nodeTool('return all.word;', `${URLS}\nconst all = await import(at('parts/' + 'all.ts'));`),
    'parts/word.ts',
    word,
  ],
  [
    'createRequire',
    'ts',
    nodeTool(
      'return word;',
      `import { createRequire } from 'node:module';\nconst name = ['./parts', 'word.cjs'].join('/');\nconst { word } = createRequire(import.meta.url)(name);`,
    ),
    'parts/word.cjs',
    (text: string) => `module.exports = { word: '${text}' };\n`,
  ],
  [
    'importlib.import_module',
    'py',
    pythonTool('return part.WORD', 'part = importlib.import_module(".parts." + "word", __package__)'),
    'parts/word.py',
    (text: string) => `WORD = "${text}"\n`,
  ],
  [
    'pkgutil',
    'py',
    pythonTool(
      'return parts[0].WORD',
      'sys.path.insert(0, HERE)\nparts = [importlib.import_module("parts." + one.name) for one in pkgutil.iter_modules([os.path.join(HERE, "parts")])]',
    ),
    'parts/word.py',
    (text: string) => `WORD = "${text}"\n`,
  ],
  [
    'spec_from_file_location, without sys.modules',
    'py',
    pythonTool(
      'return part.WORD',
      'spec = importlib.util.spec_from_file_location("part", os.path.join(HERE, "parts", "word.py"))\npart = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(part)',
    ),
    'parts/word.py',
    (text: string) => `WORD = "${text}"\n`,
  ],
  [
    'importlib in a call',
    'py',
    pythonTool('return importlib.import_module(".parts." + "word", __package__).WORD'),
    'parts/word.py',
    (text: string) => `WORD = "${text}"\n`,
  ],
] as const;

const CHANGE = { prewarms: true, loadTimeoutMs: 60_000 };

async function start(ending: string, entry: string, file: string, text: string, watch: 'native' | 'off'): Promise<void> {
  living = started = await startHost({}, { ...CHANGE, watch });
  await living.save({ 'x/parts/all.ts': `export * from './word.ts';\n`, [`x/${file}`]: text, [`x/extension.${ending}`]: entry });
  await living.reload();
  await seen('get_word', 'one');
}

describe('a file that an extension loads', () => {
  let watching: LivingHost;
  let waiting: LivingHost;
  beforeAll(async () => {
    const files: Record<string, string> = {};
    for (const [at, [, ending, entry, file, text]] of WAYS.entries()) {
      files[`x${at}/parts/all.ts`] = `export * from './word.ts';\n`;
      files[`x${at}/${file}`] = text('one');
      files[`x${at}/extension.${ending}`] = entry.replace('get_word', `get_word_${at}`);
    }
    watching = await startHost(files, { ...CHANGE, watch: 'native' });
    waiting = await startHost(files, { ...CHANGE, watch: 'off' });
  });
  afterAll(() => Promise.all([watching.remove(), waiting.remove()]));

  describe.each(WAYS.map(([what, , , file, text], at) => ({ what, id: `x${at}`, tool: `get_word_${at}`, file: `x${at}/${file}`, text })))(
    'by $what',
    ({ id, tool, file, text }) => {
      it('is watched: a save reloads the extension, as a revision with its source', async () => {
        living = watching;
        await seen(tool, 'one');
        const before = living.extension(id)?.revision ?? 0;
        // Files loaded by a call are reported a moment later.
        let saves = 0;
        await vi.waitFor(async () => {
          saves += 1;
          await living.save({ [file]: text(`two${'!'.repeat(saves)}`) });
          await vi.waitFor(async () => expect(String(await answerOf(tool))).toContain('two'), { timeout: 3_000 });
        }, PATIENCE);
        expect(living.extension(id)?.revision).toBeGreaterThan(before);
      });

      it('causes a reload on Reload, and none when unchanged', async () => {
        living = waiting;
        await seen(tool, 'one');
        // Files loaded by a call are reported after its answer; earlier saves are compared with them.
        let last = 'three';
        await vi.waitFor(async () => {
          last += '!';
          await living.save({ [file]: text(last) });
          expect((await living.reload()).changed).toEqual([id]);
        }, PATIENCE);
        expect(await answerOf(tool)).toBe(last);
        const { pid } = living.extension(id)?.process ?? {};
        expect((await living.reload()).changed).toEqual([]);
        await living.save({ [file]: text(last) });
        expect((await living.reload()).changed).toEqual([]);
        expect(living.extension(id)?.process.pid).toBe(pid);
      });
    },
  );
});

it.each(['native', 'off'] as const)('reloads for a new file in a folder of which all files are loaded (%s)', async (watch) => {
  const entry = pythonTool(
    'return " ".join(part.WORD for part in parts)',
    'sys.path.insert(0, HERE)\nparts = [importlib.import_module("parts." + one.name) for one in pkgutil.iter_modules([os.path.join(HERE, "parts")])]',
  );
  await start('py', entry, 'parts/word.py', 'WORD = "one"\n', watch);
  await living.save({ 'x/parts/zebra.py': 'WORD = "more"\n' });
  if (watch === 'off') expect((await living.reload()).changed).toEqual(['x']);
  await seen('get_word', 'one more');
  expect(living.extension('x')).toMatchObject({ state: 'ready' });
});

it('names the broken file, keeps the last good revision, and reloads when that file is fixed', async () => {
  const [, , entry, file] = WAYS[0];
  await start('ts', entry, file, word('one'), 'native');
  await living.save({ [`x/${file}`]: `export const word = ;\n` });
  await vi.waitFor(() => expect(living.extension('x')).toMatchObject({ state: 'degraded', revision: 2, serving_revision: 1 }), PATIENCE);
  expect(await answerOf('get_word')).toBe('one');
  await living.save({ [`x/${file}`]: word('one') });
  await vi.waitFor(() => expect(living.extension('x')).toMatchObject({ state: 'ready', revision: 1 }), PATIENCE);
  await living.save({ [`x/${file}`]: word('two') });
  await seen('get_word', 'two');
});

it('knows loaded files after a restart, and notices changes made meanwhile', async () => {
  const [, , entry, file] = WAYS[0];
  await start('ts', entry, file, word('one'), 'native');
  living = started = await living.restart();
  expect(living.extension('x')).toMatchObject({ revision: 1, process: { state: 'none' } });
  expect(await answerOf('get_word')).toBe('one');
  await living.host.close();
  await living.save({ [`x/${file}`]: word('two') });
  living = started = await living.restart();
  expect(living.extension('x')).toMatchObject({ revision: 2, state: 'ready' });
  expect(await answerOf('get_word')).toBe('two');
});
