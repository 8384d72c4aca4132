import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { failureSchema } from '#lib/contract/failure.ts';
import { startLocalIndex } from '#lib/testing/local-index.ts';
import { oneTool } from '#lib/testing/living-host.ts';
import { checkCommand } from './check.ts';
import { runCommand, runProgram } from './command-for-tests.ts';

let folder: string;
/** A separate folder, because other tests change the common one. */
let temporary: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'switchboard-check-'));
  temporary = await mkdtemp(path.join(tmpdir(), 'switchboard-tmp-'));
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await rm(temporary, { recursive: true, force: true });
});

async function save(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, 'extensions', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

const GOOD = oneTool('get_answer', 'yes');
const BROKEN = 'export const TOOL = {\n  label: "Broken",\n  name: 1 +* 2,\n};\n';
const UNHINTED = 'export function run(a) {\n  return a;\n}\n';
const leftBehind = async () => (await readdir(temporary)).filter((name) => name.startsWith('switchboard-command-'));
const inFolder = () => ({ cwd: folder });

describe('switchboard check', () => {
  it('exits with 0 when all load, and leaves nothing behind', async () => {
    await save({ 'answers/extension.ts': GOOD });
    const ran = await runCommand(checkCommand, [], inFolder());
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^ok {2}1 extension: 1 ready; 1 tool \(\d+\.\d s\)\n$/);
    expect(await readdir(folder)).toEqual(['extensions']);
    expect(await leftBehind()).toEqual([]);
  });

  it('prints failures with the code around them, and exits with 1', async () => {
    await save({ 'answers/extension.ts': GOOD, 'broken/extension.ts': BROKEN });
    const { code, stdout } = await runCommand(checkCommand, ['extensions'], inFolder());
    expect(code).toBe(1);
    expect(stdout).toContain('failed broken  syntax_error  extensions/broken/extension.ts:3:12\n');
    expect(stdout).toContain('  > 3 |   name: 1 +* 2,\n      |            ^\n');
    expect(stdout).toContain('not ok  2 extensions: 1 ready, 1 failed; 1 tool (');
  });

  it('installs declared packages with --install, and reports missing ones without it', async () => {
    const index = await startLocalIndex();
    onTestFinished(() => index.close());
    index.addTarball({
      name: 'colour-names',
      version: '1.0.0',
      files: { 'index.js': "exports.colour = 'red';" },
      manifest: { main: 'index.js' },
    });
    const tool = `import { colour } from 'colour-names';\n${oneTool('get_colour', 'red', 'export const used = colour;')}`;
    await save({ 'colours/extension.ts': tool, 'colours/package.json': '{"dependencies": {"colour-names": "1.0.0"}}' });
    const env = { ...process.env, ...index.environment, DATA_DIR: 'data' };
    await mkdir(path.join(folder, 'data', 'environments'), { recursive: true });
    const without = await runCommand(checkCommand, [], { ...inFolder(), env });
    expect(without).toMatchObject({ code: 1 });
    expect(without.stdout).toContain('failed colours  dependencies_missing  extensions/colours/package.json:1');
    expect(await runCommand(checkCommand, ['--install'], { ...inFolder(), env })).toMatchObject({ code: 0 });
    expect(await runCommand(checkCommand, [], { ...inFolder(), env })).toMatchObject({ code: 0 });
  });

  it('prints warnings, which are failures only with --strict', async () => {
    await save({ 'tools/echo_back.js': UNHINTED });
    const lenient = await runCommand(checkCommand, [], inFolder());
    expect(lenient.code).toBe(0);
    expect(lenient.stdout).toContain('warning tools/echo_back  echo_back: ');
    expect((await runCommand(checkCommand, ['--strict'], inFolder())).code).toBe(1);
  });

  it('prints the complete result as JSON', async () => {
    await save({ 'answers/extension.ts': GOOD, 'broken/extension.ts': BROKEN });
    const { code, stdout } = await runCommand(checkCommand, ['--json'], inFolder());
    const report = z.object({ ok: z.boolean(), tools: z.array(z.string()), failures: z.array(failureSchema) }).parse(JSON.parse(stdout));
    expect({ code, ok: report.ok, tools: report.tools }).toEqual({ code: 1, ok: false, tools: ['get_answer'] });
    expect(report.failures).toMatchObject([{ extension: 'broken', code: 'syntax_error', line: 3, column: 12 }]);
  });

  it('annotates lines for GitHub, relative to the root of the repository, and escapes workflow commands in texts', async () => {
    await save({ 'broken/extension.ts': BROKEN, 'sly/extension.ts': 'throw new Error("sly\\n::error::forged, 100%\\u202e");\n' });
    const { code, stdout } = await runCommand(checkCommand, ['--github', 'extensions'], {
      ...inFolder(),
      env: { PATH: process.env['PATH'], GITHUB_WORKSPACE: path.dirname(folder) },
    });
    expect(code).toBe(1);
    const file = `${path.basename(folder)}/extensions/broken/extension.ts`;
    expect(stdout).toContain(`::error file=${file},line=3,col=12,title=broken%3A syntax_error::`);
    const lines = stdout.split('\n');
    const stop = lines.findIndex((line) => line.startsWith('::stop-commands::'));
    const commands = lines.slice(0, stop);
    expect(commands).toHaveLength(2);
    expect(commands.join('\n')).toContain('sly%0A::error::forged, 100%25\\u202e');
    const word = lines[stop]?.slice('::stop-commands::'.length);
    expect(lines.at(-2)).toBe(`::${word}::`);
  });

  it('reports a missing folder, a file, or a wrong option, with the correct usage', async () => {
    await writeFile(path.join(folder, 'a-file'), '');
    expect(await runCommand(checkCommand, ['nowhere'], inFolder())).toMatchObject({ code: 3, stdout: '' });
    expect((await runCommand(checkCommand, ['a-file'], inFolder())).stderr).toContain('“a-file” is a file');
    expect(await runCommand(checkCommand, ['--jsno'], inFolder())).toMatchObject({
      code: 2,
      stderr: 'switchboard check: Unknown option --jsno. Did you mean --json? See `switchboard check --help`.\n',
    });
    expect((await runCommand(checkCommand, ['a', 'b'], inFolder())).code).toBe(2);
    const wrongSetting = await runCommand(checkCommand, ['.'], { ...inFolder(), env: { LOAD_TIMEOUT_MS: 'soon' } });
    expect(wrongSetting).toMatchObject({ code: 3 });
    expect(wrongSetting.stderr).toContain('LOAD_TIMEOUT_MS is "soon"');
  });

  it('runs as a program from any folder, in colour only on request', async () => {
    await save({ 'broken/extension.ts': BROKEN });
    const plain = await runProgram(['check'], folder);
    expect(plain).toMatchObject({ code: 1, stderr: '' });
    expect(plain.stdout).not.toContain('\u001b');
    const coloured = await runProgram(['check'], folder, { FORCE_COLOR: '1' });
    expect(coloured.stdout).toContain('\u001b[31mfailed');
  });

  it('loads channels without connecting them', async () => {
    const channel = `import { writeFileSync } from 'node:fs';
/** Writes a file. */
export function connect() { writeFileSync('connected', ''); }
export function recv() { return new Promise(() => {}); }
export function send() {}
`;
    await save({ 'channels/mark.ts': channel });
    const ran = await runCommand(checkCommand, [], { ...inFolder(), env: { PATH: process.env['PATH'], EXTENSION_ALLOW: '*:all' } });
    expect(ran).toMatchObject({ code: 0 });
    expect(await readdir(folder, { recursive: true })).toEqual(['extensions', 'extensions/channels', 'extensions/channels/mark.ts']);
  });

  it('leaves nothing behind when it is terminated', async () => {
    const endless =
      "import { writeFileSync } from 'node:fs';\nwriteFileSync('begun', '');\nawait new Promise(() => setInterval(() => {}, 1_000));\n";
    await save({ 'endless/extension.mjs': endless });
    const ending = new AbortController();
    const env = { PATH: process.env['PATH'], EXTENSION_ALLOW: '*:all' };
    const ran = runCommand(checkCommand, [], { ...inFolder(), env, signal: ending.signal });
    await expect.poll(() => readdir(folder), { timeout: 20_000 }).toContain('begun');
    expect(await leftBehind()).toHaveLength(1);
    ending.abort();
    expect(await ran).toEqual({ code: 130, stdout: '', stderr: 'switchboard check: Interrupted before everything loaded.\n' });
    expect(await leftBehind()).toEqual([]);
  });

  it('prints no terminal control characters of an extension', async () => {
    await save({ 'sly/extension.ts': 'throw new Error("\\u001b[2J\\u202Egone");\n' });
    const { stdout } = await runCommand(checkCommand, [], inFolder());
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('\u202e');
    expect(stdout).toContain('gone');
  });
});
