import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { ToolContext } from '#lib/contract/extension-api.ts';
import { RUN_PLAN_EXPORT } from '#lib/contract/run-plan.ts';
import { describeExtension, describeRun } from '#lib/loader/describe-extension.ts';
import { createHintSource } from '#lib/loader/builder.ts';
import { createSourceReader } from '#lib/loader/source-reader.ts';
import { createRunTool } from '#lib/runtime/children/load-module.ts';
import { parseModule } from '#lib/schema/hints/module-text.ts';
import { readRun } from '#lib/schema/hints/read-run.ts';

const root = path.dirname(path.dirname(import.meta.dirname));
const docs = path.join(root, 'docs');
const page = readFileSync(path.join(docs, 'writing-extensions.md'), 'utf8');
const SAMPLE = /<!-- sample: (\S+) -->\n```(\w+)\n([^]*?)\n```/g;
const shown = [...page.matchAll(SAMPLE)].map(([, file = '', language = '', code = '']) => ({ file, language, code }));

const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'samples-')));
writeFileSync(path.join(workspace, 'file'), 'four');
afterAll(() => rmSync(workspace, { recursive: true }));

const toolShape = z.object({
  name: z.string(),
  examples: z.array(z.unknown()).min(1),
  execute: z.custom<(args: unknown, ctx: ToolContext) => unknown>((value) => typeof value === 'function'),
});

function contextOf(): ToolContext {
  const nobody = () => Promise.reject(new Error('Nobody can answer here'));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  return {
    signal: new AbortController().signal,
    log,
    progress() {},
    elicit: nobody,
    sample: nobody,
    call_id: 'call',
    workspace_root: workspace,
  };
}

async function load(file: string) {
  const module = z.record(z.string(), z.unknown()).parse({ ...(await import(file)) });
  const tools = z.array(toolShape).parse(module['TOOLS'] ?? [module['TOOL']]);
  return { module, tools };
}

/** The description that a child would report. */
function rawOf(module: Readonly<Record<string, unknown>>) {
  const values: unknown = JSON.parse(
    JSON.stringify(module, (_, value: unknown) => (typeof value === 'function' ? { '@@type': 'function' } : value)),
  );
  return {
    exports: Object.keys(module),
    values: z.record(z.string(), z.unknown()).parse(values),
    hasStatus: typeof module['status'] === 'function',
  };
}

/** The description of a one-file tool. */
async function loadRun(file: string) {
  const name = path.basename(file, path.extname(file));
  const reading = await readRun(createHintSource(createSourceReader(root, ''), root), parseModule(file, readFileSync(file, 'utf8')), name);
  if (!reading.ok) throw new Error(reading.failure.message);
  const { plan } = reading;
  const module = z.record(z.string(), z.unknown()).parse({ ...(await import(file)) });
  const described = describeRun(name, 'node')({ ...rawOf(module), hints: plan.hints });
  const tool = z.object({ execute: toolShape.shape.execute }).parse(createRunTool({ ...module, [RUN_PLAN_EXPORT]: plan }));
  return { module, name, described, tool };
}

describe('docs/writing-extensions.md', () => {
  it('shows every file in docs/samples unchanged, and no other code', () => {
    for (const { file, language, code } of shown) {
      expect(code, file).toBe(readFileSync(path.join(docs, file), 'utf8').trimEnd());
      expect(path.extname(file)).toBe(`.${language}`);
    }
    const files = readdirSync(path.join(docs, 'samples'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = files.map((entry) => path.relative(docs, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
    expect(shown.map(({ file }) => file).toSorted()).toEqual(names.toSorted());
    expect(page.match(/^```\w+$/gm)).toHaveLength(shown.length);
  });
});

const results: Readonly<Record<string, unknown>> = {
  count_words: { words: 3 },
  roll_die: expect.toSatisfy((value: number) => value >= 1 && value <= 6),
  roll_dice: expect.toSatisfy((value: number) => value >= 1 && value <= 6),
  measure_workspace: { files: 1, bytes: 4 },
  make_slug: 'creme-brulee',
  sign_letter: 'Dear Ada,\n\nThe team',
  sign_text: expect.stringMatching(/^[0-9a-f]{64}$/),
};
const defaults: Readonly<Record<string, object>> = { roll_die: { from: 1 }, measure_workspace: { most: 1000 } };

describe('the samples', () => {
  it.each(shown.filter(({ file }) => /^extension\.[jt]s$/.test(path.basename(file))))(
    '$file runs and gets no warnings',
    async ({ file }) => {
      vi.stubEnv('SIGNATURE', 'The team');
      vi.stubEnv('SIGNING_KEY', 'a key');
      const { module, tools } = await load(path.join(docs, file));
      expect(describeExtension(rawOf(module))).toMatchObject({
        ok: true,
        description: { warnings: [], tools: tools.map(({ name }) => ({ name, warnings: [] })) },
      });
      for (const tool of tools) {
        const args = { ...defaults[tool.name], ...z.record(z.string(), z.unknown()).parse(tool.examples[0]) };
        expect(await tool.execute(args, contextOf()), tool.name).toEqual(results[tool.name]);
      }
    },
  );

  it.each([
    ['add_workdays.ts', { start: '2026-11-20T00:00:00Z', days: 3 }, { day: '2026-11-25', weekday: 'Wed' }],
    ['repeat_text.js', { text: 'ho', times: 3 }, 'ho\nho\nho'],
  ])('tools/%s runs and gets no warnings', async (file, args, result) => {
    const { name, described, tool } = await loadRun(path.join(docs, 'samples/tools', file));
    expect(described).toMatchObject({ ok: true, description: { warnings: [], tools: [{ name, warnings: [] }] } });
    expect(await tool.execute(args, contextOf())).toEqual(result);
  });

  it('refuse the inputs that the page names', async () => {
    const { tools } = await load(path.join(docs, 'samples/long-work/extension.ts'));
    await expect(tools[0]?.execute({ most: 0 }, contextOf())).rejects.toMatchObject({ kind: 'invalid_parameters', data: { files: 1 } });
    const settings = await load(path.join(docs, 'samples/settings/extension.js'));
    expect(() => settings.tools[0]?.execute({ letter: '' }, contextOf())).toThrow('SIGNATURE is not set');
  });
});

describe('the shipped extensions', () => {
  const folders = readdirSync(path.join(root, 'extensions'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.filter(({ name }) => existsSync(path.join(root, 'extensions', name, 'extension.ts')));

  it.each(names.map(({ name }) => name))('%s is described without warnings', async (name) => {
    const { module, tools } = await load(path.join(root, 'extensions', name, 'extension.ts'));
    const described = describeExtension(rawOf(module));
    expect(described).toMatchObject({
      ok: true,
      description: { warnings: [], tools: tools.map((tool) => ({ name: tool.name, warnings: [] })) },
    });
    expect(module['DESCRIPTION']).toEqual(expect.stringMatching(/.+/));
    expect(module['INSTRUCTIONS']).toEqual(expect.stringMatching(/.+/));
  });

  it('tools/measure_text is described without warnings', async () => {
    const { module, described, tool } = await loadRun(path.join(root, 'extensions/tools/measure_text.ts'));
    expect(described).toMatchObject({ ok: true, description: { warnings: [], tools: [{ name: 'measure_text', warnings: [] }] } });
    expect(module).toMatchObject({ DESCRIPTION: expect.stringMatching(/.+/), INSTRUCTIONS: expect.stringMatching(/.+/) });
    expect(await tool.execute({ text: 'one two' }, contextOf())).toMatchObject({ words: 2 });
  });

  it('runs the template as documented', async () => {
    const { tools } = await load(path.join(root, 'extensions/example/extension.ts'));
    expect(tools[0]?.execute({ person: ' Ada', language: 'pt', times: 2 }, contextOf())).toEqual({ greeting: 'Olá, Ada! Olá, Ada!' });
    expect(() => tools[0]?.execute({ person: ' ', language: 'pt', times: 1 }, contextOf())).toThrow('Give a name');
  });
});
