import path from 'node:path';
import type { buildChildProgram as build } from '#lib/runtime/child-program.ts';

/** In an installed package, in place of lib/runtime/child-program.ts: the programs are built. */
export async function buildChildProgram(...[, name]: Parameters<typeof build>): Promise<string> {
  return path.join(import.meta.dirname, 'programs', name ?? 'child', 'main.cjs');
}
