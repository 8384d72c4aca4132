import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, startHost } from '#lib/testing/living-host.ts';

/** Python extensions in a running host, from the file to the call. */
const PATIENCE = { timeout: 15_000 };
let living: LivingHost | null = null;
afterEach(async () => {
  await living?.remove();
  living = null;
});

function oneTool(name: string, body: string, more = ''): string {
  return `${more}
def execute(text):
    ${body}

TOOL = {
    "label": "Test",
    "name": "${name}",
    "description": "Answers with a fixed text.",
    "parameters": {"text": {"type": "string", "description": "Any text"}},
    "execute": execute,
}
`;
}

describe('an extension in Python', () => {
  it('is loaded, called, and serves again after a save', async () => {
    living = await startHost({ 'x/extension.py': oneTool('answer_text', 'return {"answer": 1, "text": text}') }, { prewarms: true });
    const { call, save, extension } = living;
    expect(extension('x')).toMatchObject({ state: 'ready', runtime: 'python', tools: ['answer_text'], path: 'x/extension.py' });
    expect(extension('x')?.permissions, 'nothing can be taken from Python').toContain('write');
    expect(await call('answer_text', { text: 'a' })).toMatchObject({ status: 'succeeded', result: { answer: 1, text: 'a' } });
    expect((await call('answer_text')).result).toEqual({ answer: 1, text: null });
    expect(await call('answer_text', { txt: 'a' })).toMatchObject({
      error: { kind: 'invalid_parameters', issues: [{ path: '/txt', message: 'is not a parameter of this tool; did you mean "text"?' }] },
    });
    await save({ 'x/extension.py': oneTool('answer_text', 'return {"answer": 22, "text": text}') });
    await vi.waitFor(async () => expect((await call('answer_text')).result).toMatchObject({ answer: 22 }), PATIENCE);
  });

  it('keeps serving when a save breaks it, after a restart of the host too', async () => {
    const files = { 'x/_words.py': 'WORD = "old"\n', 'x/extension.py': oneTool('say_word', 'return WORD', 'from ._words import WORD') };
    living = await startHost(files, { prewarms: true });
    await living.save({ 'x/_words.py': 'WORD = "new\n' });
    await vi.waitFor(() => expect(living?.extension('x')?.state).toBe('degraded'), PATIENCE);
    expect(living.extension('x')).toMatchObject({
      revision: 2,
      serving_revision: 1,
      failure: { code: 'syntax_error', file: 'x/_words.py', line: 1, column: 8, code_frame: expect.stringContaining('WORD = "new') },
    });
    expect((await living.call('say_word')).result).toBe('old');
    living = await living.restart();
    expect(living.extension('x')).toMatchObject({ state: 'degraded', serving_revision: 1 });
    expect((await living.call('say_word')).result).toBe('old');
  });

  it('can be rolled back with the helpers of that revision', async () => {
    living = await startHost({
      'x/words.py': 'WORD = "one"\n',
      'x/extension.py': oneTool('say_word', 'return words.WORD', 'import words'),
    });
    const { call, save, host } = living;
    await save({ 'x/words.py': 'WORD = "second"\n' });
    await vi.waitFor(async () => expect((await call('say_word')).result).toBe('second'), PATIENCE);
    must(await host.extensions.rollback('x', 1, { name: 'Ada' }));
    expect((await call('say_word')).result).toBe('one');
    expect((await call('say_word', {}, { revision: 2 })).result).toBe('second');
  });

  it('is reloaded by a change of a helper that it imports, and by no other', async () => {
    const text = 'import os\n\nPID = os.getpid()\n';
    living = await startHost({
      'x/extension.py': oneTool('tell_x', 'return [deep.WORD, os.getpid()]', 'import os\nfrom .package import deep'),
      'x/package/__init__.py': '',
      'x/package/deep.py': 'from ..._words import WORD\n',
      '_words.py': 'WORD = "old"\n',
      'y/extension.py': oneTool('tell_y', 'return os.getpid()', 'import os\nimport helper'),
      'y/helper.py': text,
    });
    const { call, save } = living;
    const y = (await call('tell_y')).result;
    expect((await call('tell_x')).result).toEqual(['old', expect.any(Number)]);
    await save({ '_words.py': 'WORD = "newer"\n' });
    await vi.waitFor(async () => expect((await call('tell_x')).result).toEqual(['newer', expect.any(Number)]), PATIENCE);
    expect((await call('tell_y')).result).toBe(y);
  });

  it('is retried when a missing helper appears', async () => {
    living = await startHost({ 'x/extension.py': oneTool('say_word', 'return late.WORD', 'import late') });
    const { call, save, extension } = living;
    expect(extension('x')).toMatchObject({ state: 'failed', failure: { code: 'import_unresolved', line: 1 } });
    expect(extension('x')?.failure?.hint).toContain('pip install late');
    await save({ 'x/late.py': 'WORD = "here"\n' });
    await vi.waitFor(async () => expect(extension('x')?.state).toBe('ready'), PATIENCE);
    expect((await call('say_word')).result).toBe('here');
  });

  it('imports the module once, whatever its import name, and does not shadow the standard library', async () => {
    living = await startHost({
      'x/extension.py': oneTool(
        'compare_modules',
        'return [once is twice, random.choice([1]), own.NAME, twice.__file__.endswith("x/once.py")]',
        'import once\nimport random\nfrom . import once as twice\nfrom . import random as own',
      ),
      'x/once.py': 'VALUE = object()\n',
      'x/random.py': 'NAME = "my own"\n',
    });
    expect((await living.call('compare_modules')).result).toEqual([true, 1, 'my own', true]);
  });

  it('sees the configured environment and its `.env`, and runs in the workspace', async () => {
    living = await startHost({
      'x/.env': 'API_KEY=from the file\n',
      'x/extension.py': oneTool('tell_place', 'return {"cwd": os.getcwd(), **os.environ}', 'import os'),
    });
    const { result } = await living.call('tell_place');
    expect(result).toMatchObject({ API_KEY: 'from the file', cwd: path.join(living.folder, 'workspace') });
    expect(result).not.toHaveProperty('EXTENSIONS_ADMIN_TOKEN');
    expect(result).not.toHaveProperty('PYTHON');
  });

  it('reports an invalid tool with its line, in Python terms', async () => {
    const wrong = oneTool('fine_name', 'return 1').replace('"name": "fine_name"', '"name": "not a name"');
    const model = 'class Model:\n    model_json_schema = None\n';
    const tool = '"label": "x", "name": "y", "description": "z", "execute": print';
    living = await startHost({
      'x/extension.py': wrong,
      'y/extension.py': 'TOOLZ = []\n',
      'z/extension.py': `${model}TOOL = {${tool}, "parameters": Model}\n`,
    });
    expect(living.extension('z')?.failure).toMatchObject({
      code: 'parameters_invalid',
      line: 3,
      hint: 'Convert it where it is written, for example `"parameters": Model.model_json_schema()`.',
    });
    expect(living.extension('x')?.failure).toMatchObject({ code: 'field_invalid', line: 7, column: 5 });
    expect(living.extension('x')?.failure?.code_frame).toContain('> 7 |     "name": "not a name"');
    expect(living.extension('y')?.failure).toMatchObject({ code: 'export_missing' });
    expect(`${living.extension('y')?.failure?.message} ${living.extension('y')?.failure?.hint}`).not.toMatch(/const|undefined/);
  });

  it('warns when the function and its parameters do not match', async () => {
    const text = oneTool('greet_person', 'return 1').replace('def execute(text)', 'def execute(name, ctx)');
    const context = '"parameters": {"ctx": {"type": "string"}}, "execute": lambda ctx: 1';
    living = await startHost({
      'x/extension.py': text,
      'y/extension.py': `TOOL = {"label": "x", "name": "use_context", "description": "z", ${context}}\n`,
    });
    expect(must(living.host.tools.get('use_context')).warnings.join(' ')).toContain('`ctx` never reaches `execute`');
    const tool = must(living.host.tools.get('greet_person'));
    expect(tool.warnings.join(' ')).toContain('does not take the parameter `text`');
    expect(tool.warnings.join(' ')).toContain('needs `name`');
  });
});

describe('the interpreter', () => {
  it('is that of a `.venv` in the folder', async () => {
    living = await startHost({ 'x/extension.py': oneTool('tell_prefix', 'return sys.prefix', 'import sys') });
    const venv = path.join(living.folder, 'extensions/x/.venv');
    const outer = String((await living.call('tell_prefix')).result);
    await mkdir(path.join(venv, 'bin'), { recursive: true });
    await writeFile(path.join(venv, 'pyvenv.cfg'), `home = ${path.join(outer, 'bin')}\n`);
    await symlink(path.join(outer, 'bin/python3'), path.join(venv, 'bin/python'));
    must(await living.host.extensions.restart('x', { name: 'Ada' }));
    expect((await living.call('tell_prefix')).result).toBe(venv);
    await rm(venv, { recursive: true });
  });

  it('that is missing is reported with what to install, without affecting other extensions', async () => {
    living = await startHost({ 'x/extension.py': oneTool('never_there', 'return 1') }, { python: 'python-that-is-not-there' });
    expect(living.extension('x')).toMatchObject({ state: 'failed', failure: { code: 'runtime_missing', file: 'x/extension.py' } });
    expect(living.extension('x')?.failure?.hint).toMatch(/Install Python 3\.10 or newer.*PYTHON/);
  });
});
