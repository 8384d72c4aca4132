import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stop } from 'esbuild';
import { buildChildProgram } from '#lib/runtime/child-program.ts';
import { codeCacheFileIn, WRITE_CODE_CACHE } from '#lib/runtime/code-cache-file.ts';

/**
 * A host bundles the programs of its processes once per data folder, and writes V8's code cache of each. Tests create hundreds of
 * hosts, so all use one folder, also that of earlier runs: the names in it are hashes of their sources.
 */
export const PROGRAMS_DIR = path.resolve(import.meta.dirname, '../../.cache/programs');

const NAMES = ['child', 'guard', 'server'] as const;
let made: Promise<readonly string[]> | null = null;

/** Makes those that are missing. Before all tests, because each test process would make them. */
export function makeSharedPrograms(): Promise<readonly string[]> {
  made ??= makeAll();
  return made;
}

async function makeAll(): Promise<readonly string[]> {
  const programs = await Promise.all(NAMES.map((name) => buildChildProgram(PROGRAMS_DIR, name)));
  await stop();
  await Promise.all(programs.filter((program) => !existsSync(codeCacheFileIn(path.dirname(program)))).map(writeCodeCache));
  return programs;
}

/** The program ends itself. Without a code cache, starts are only slower. */
async function writeCodeCache(program: string): Promise<void> {
  const writer = spawn(process.execPath, [program, WRITE_CODE_CACHE], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  await once(writer, 'exit');
}

/** @param programs `DATA_DIR/programs` of a server before its start */
export async function copySharedPrograms(programs: string): Promise<void> {
  for (const program of await makeSharedPrograms()) {
    const folder = path.dirname(program);
    await cp(folder, path.join(programs, path.basename(folder)), { recursive: true });
  }
}

const RUN = /^switchboard-tests-/;

/** The folder of this test run, removed at its end; null without one: then nothing is shared. */
export const folderOfRun = (): string | null => (RUN.test(path.basename(tmpdir())) ? tmpdir() : null);
