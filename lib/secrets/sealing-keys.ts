import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createSealer } from './sealer.ts';
import type { Sealer } from './sealer.ts';

/** Beside the database, mode 0600; one key per line, newest first. */
const FILE = 'secrets-key';
export const KEY_LEAST = 32;

export type OpenSealer = { readonly ok: true; readonly sealer: Sealer } | { readonly ok: false; readonly reason: string };

/**
 * The sealer of this installation: the keys of SECRETS_KEY, else those of a generated file. With SECRETS_KEY the file's keys
 * still open values sealed before.
 */
export function openSealer(dataDir: string, configured: readonly string[]): OpenSealer {
  const file = path.join(dataDir, FILE);
  try {
    const kept = readKeys(file);
    const tooShort = kept.some((key) => key.length < KEY_LEAST);
    if (tooShort || (kept.length === 0 && existsSync(file)))
      return {
        ok: false,
        reason: `The key file ${file} is damaged: each line must be a key of at least ${KEY_LEAST} characters. Restore it from a backup; without it the stored secrets cannot be read. To start over, delete the file and set each secret again.`,
      };
    const [first, ...others] = [...configured, ...kept];
    return { ok: true, sealer: first === undefined ? createSealer([makeKey(file)]) : createSealer([first, ...others]) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `The key of the secrets (${file}) cannot be read or written: ${why}` };
  }
}

/** Written beside and renamed, so that a crash leaves no part of a key. The data folder has one owner. */
function makeKey(file: string): string {
  const made = randomBytes(32).toString('hex');
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, `${made}\n`, { mode: 0o600 });
  renameSync(beside, file);
  return made;
}

function readKeys(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
}
