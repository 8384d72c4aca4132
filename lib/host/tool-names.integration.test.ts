import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LivingHost, oneTool, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost | null = null;
const start = async (...args: Parameters<typeof startHost>): Promise<LivingHost> => (living = await startHost(...args));
const PATIENCE = { timeout: 15_000 };

afterEach(async () => {
  await living?.remove();
  living = null;
});

describe('names', () => {
  it('gives a duplicate name to the first id among new ones, and loads the other when the owner is removed', async () => {
    const { call, save, extension } = await start({
      'zeta/extension.ts': oneTool('same_name', 'zeta'),
      'alpha/extension.ts': oneTool('same_name', 'alpha'),
    });
    expect((await call('same_name')).result).toMatchObject({ answer: 'alpha' });
    expect(extension('zeta')).toMatchObject({
      state: 'failed',
      failure: { code: 'duplicate_tool_name', stage: 'register', file: 'zeta/extension.ts', line: 3 },
    });
    await save({ alpha: null });
    await vi.waitFor(async () => expect((await call('same_name')).result).toMatchObject({ answer: 'zeta' }), PATIENCE);
  });

  it('shows the location of a name owned by another extension, in either language and in one-file tools', async () => {
    const { extension } = await start({
      'a/extension.ts': `export const TOOLS = ['find_a', 'find_b', 'find_c'].map((name) => ({ label: 'T', name, description: 'd', parameters: {}, execute: () => 1 }));\n`,
      'b/extension.py': 'TOOL = {\n    "label": "T", "name": "find_a",\n    "description": "d", "parameters": {}, "execute": print,\n}\n',
      'tools/find_b.ts': '/** Finds. */\nexport function run() {\n  return 1;\n}\n',
      'tools/find_c.py': '"""Finds."""\n\n\ndef run():\n    return 1\n',
    });
    const taken = { code: 'duplicate_tool_name', code_frame: expect.stringContaining('> ') };
    expect(extension('b')?.failure).toMatchObject({ ...taken, line: 2, column: 19 });
    expect(extension('tools/find_b')?.failure).toMatchObject({ ...taken, line: 2, column: 17 });
    expect(extension('tools/find_c')?.failure).toMatchObject({ ...taken, line: 4, column: 1 });
  });

  it('does not retry a file with a duplicate name because another one changed', async () => {
    const twins = `const one = { label: 'T', name: 'get_a', description: 'd', parameters: {}, execute: () => 1 };\nexport const TOOLS = [one, { ...one }];\n`;
    const { save, reload, extension } = await start({ 'twins/extension.ts': twins, 'a/extension.ts': oneTool('first_tool', 'a') });
    expect(extension('twins')?.failure).toMatchObject({ code: 'duplicate_tool_name', count: 1 });
    await save({ 'a/extension.ts': oneTool('second_tool', 'a') });
    await vi.waitFor(() => expect(extension('a')).toMatchObject({ state: 'ready', revision: 2 }), PATIENCE);
    await reload(['a']);
    expect(extension('twins')?.failure).toMatchObject({ code: 'duplicate_tool_name', count: 1 });
  });

  it('does not retry an extension that waits for a name because an unrelated one changed', async () => {
    const { save, reload, extension } = await start({
      'a/extension.ts': oneTool('same_name', 'a'),
      'b/extension.ts': oneTool('same_name', 'b'),
      'c/extension.ts': oneTool('third_tool', 'c'),
    });
    expect(extension('b')?.failure).toMatchObject({ code: 'duplicate_tool_name', count: 1 });
    await save({ 'c/extension.ts': oneTool('fourth_tool', 'c') });
    await vi.waitFor(() => expect(extension('c')).toMatchObject({ state: 'ready', revision: 2 }), PATIENCE);
    await reload(['c']);
    expect(extension('b')?.failure).toMatchObject({ code: 'duplicate_tool_name', count: 1 });
    await save({ 'a/extension.ts': oneTool('first_tool', 'a') });
    await vi.waitFor(() => expect(extension('b')?.state).toBe('ready'), PATIENCE);
  });

  it('lets two extensions swap their names, saved together or one after the other', async () => {
    const { call, save, reload } = await start(
      { 'a/extension.ts': oneTool('first_tool', 'a'), 'b/extension.ts': oneTool('second_tool', 'b') },
      { watch: 'off' },
    );
    await save({ 'a/extension.ts': oneTool('second_tool', 'a'), 'b/extension.ts': oneTool('first_tool', 'b') });
    await reload();
    expect((await call('first_tool')).result).toMatchObject({ answer: 'b' });
    expect((await call('second_tool')).result).toMatchObject({ answer: 'a' });
    await save({ 'a/extension.ts': oneTool('first_tool', 'a') });
    expect((await reload()).failed_extensions).toMatchObject([{ extension: 'a', code: 'duplicate_tool_name' }]);
    await save({ 'b/extension.ts': oneTool('second_tool', 'b') });
    expect((await reload()).failed_extensions).toEqual([]);
    expect((await call('first_tool')).result).toMatchObject({ answer: 'a' });
  });

  it('leaves a name with its former owner after a restart', async () => {
    const first = await start({ 'zeta/extension.ts': oneTool('same_name', 'zeta') });
    await first.save({ 'alpha/extension.ts': oneTool('same_name', 'alpha') });
    await vi.waitFor(() => expect(first.extension('alpha')?.state).toBe('failed'), PATIENCE);
    living = await first.restart();
    expect((await living.call('same_name')).result).toMatchObject({ answer: 'zeta' });
  });
});
