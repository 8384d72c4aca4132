import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Where tests lay their folders, databases and browser profiles. They sync to the disk all the time, and a disk that others use
 * as well takes most of their time; where there is a file system in memory with room, they use that, by TMPDIR, which every
 * program obeys. What can go wrong:
 * - it is small (containers give 64 MB), full or read-only, or memory is short: the usual folder for such files is used;
 * - programs on it may not run: tried once, as some tests write programs;
 * - a run is killed and leaves its folder, which takes memory: the next run removes those whose process is gone.
 * A test about the disk itself makes its folder in the project.
 */
const IN_MEMORY = '/dev/shm';
const LEAST_ROOM = 1024 ** 3;
const LEAST_MEMORY = 4 * 1024 ** 3;
const NAME = /^switchboard-tests-(\d+)-/;

/** Names the folder to this process and to all that it starts, once; gone when this process ends. */
export function chooseTestFolder() {
  if (process.env.TMPDIR !== undefined || process.platform !== 'linux') return;
  const folder = makeInMemory();
  if (folder === null) return;
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}

function makeInMemory() {
  let folder = null;
  try {
    removeLeftovers();
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (bavail * bsize < LEAST_ROOM || process.availableMemory() < LEAST_MEMORY) return null;
    folder = mkdtempSync(path.join(IN_MEMORY, `switchboard-tests-${process.pid}-`));
    const program = path.join(folder, 'runs');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    if (spawnSync(program).status === 0) return folder;
    rmSync(folder, { recursive: true });
    return null;
  } catch {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
    return null;
  }
}

function removeLeftovers() {
  for (const name of readdirSync(IN_MEMORY)) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) rmSync(path.join(IN_MEMORY, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
