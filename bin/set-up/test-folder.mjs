import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Folder for the tests' files, databases and browser profiles. Tests sync constantly, so a file system in memory is used where
 * possible, through TMPDIR. What can go wrong:
 * - it is small (64 MB in containers), full or read-only, or memory is short: the default folder is used;
 * - it is mounted noexec: tested once, because some tests write programs;
 * - a killed run leaves its folder: the next run deletes folders without a process.
 * Tests about the disk create a folder in the project.
 */
const IN_MEMORY = '/dev/shm';
const LEAST_ROOM = 1024 ** 3;
const LEAST_MEMORY = 4 * 1024 ** 3;
const NAME = /^switchboard-tests-(\d+)-/;

/** Sets TMPDIR once for this process and its children; the folder is deleted at exit. */
export function chooseTestFolder() {
  if (process.env.TMPDIR !== undefined || process.platform !== 'linux') return;
  const folder = makeInMemory();
  if (folder === null) return;
  process.env.TMPDIR = folder;
  // Processes of an interrupted run may write meanwhile.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
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
