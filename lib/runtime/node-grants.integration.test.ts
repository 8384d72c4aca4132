import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { besideWorkspace, flagsFor } from './node-grants.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'grants-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Asks a real process with these flags which of the folders it may read. */
function readable(flags: readonly string[], folders: readonly string[]): string[] {
  const script = `console.log(JSON.stringify(${JSON.stringify(folders)}.filter((folder) => process.permission.has('fs.read', folder))))`;
  return JSON.parse(
    execFileSync(
      process.execPath,
      ['--permission', ...flags, '--disable-warning=ExperimentalWarning', '--disable-warning=SecurityWarning', '-e', script],
      { cwd: '/', encoding: 'utf8' },
    ),
  );
}

describe('the grants of a process', () => {
  it('allow reading the workspace, also when it contains the program, packages and extensions', () => {
    const workspace = path.join(root, 'work');
    const beside = path.join(root, 'work2');
    const extension = path.join(workspace, 'extensions/a');
    const programDir = path.join(workspace, 'data/artifacts');
    for (const folder of [extension, programDir, beside, path.join(workspace, 'node_modules')]) mkdirSync(folder, { recursive: true });
    const artifact = {
      extension: 'a',
      kind: 'tools',
      runtime: 'node',
      contentHash: 'h',
      folder: extension,
      entryFile: path.join(extension, 'extension.ts'),
      programFile: path.join(programDir, 'h/program.mjs'),
    } as const;
    const context = {
      childProgram: path.join(workspace, 'data/programs/child.mjs'),
      workspaceRoot: workspace,
      nodeModulesDirs: [path.join(workspace, 'node_modules')],
      programDir,
    };
    expect(readable(flagsFor(artifact, ['run'], context), [workspace, extension, beside, root])).toEqual([workspace, extension]);
  });

  it('allow reading its own folder outside the workspace, but not a neighbour with the same name prefix', () => {
    const workspace = path.join(root, 'work');
    const own = path.join(root, 'extensions/weather');
    const neighbour = path.join(root, 'extensions/weather2');
    for (const folder of [workspace, own, neighbour]) mkdirSync(folder, { recursive: true });
    const artifact = {
      extension: 'weather',
      kind: 'tools',
      runtime: 'node',
      contentHash: 'h',
      folder: own,
      entryFile: path.join(own, 'extension.ts'),
      programFile: path.join(root, 'data/h/program.mjs'),
    } as const;
    const context = {
      childProgram: path.join(root, 'data/child.mjs'),
      workspaceRoot: workspace,
      nodeModulesDirs: [],
      programDir: path.join(root, 'data'),
    };
    expect(readable(flagsFor(artifact, [], context), [workspace, own, neighbour])).toEqual([workspace, own]);
  });

  it('do not contain the workspace itself if another path begins with its path, which is reported', () => {
    const workspace = path.join(root, 'app');
    const [inside, beside] = [path.join(workspace, 'data'), path.join(root, 'app-data/artifacts')];
    const file = path.join(workspace, 'file');
    for (const folder of [inside, beside]) mkdirSync(folder, { recursive: true });
    const grants = [workspace, beside].map((folder) => `--allow-fs-read=${folder}`);
    // When Node grants both, the warning about it is no longer needed.
    expect(readable(grants, [workspace, file, beside])).toEqual([file, beside]);
    expect(besideWorkspace(workspace, [inside, root, beside])).toBe(beside);
    expect(besideWorkspace(workspace, [inside, root])).toBeNull();
  });
});
