import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonProgram } from '#lib/loader/python-builder.ts';
import type { Artifact } from '#lib/runtime/runtime.ts';

const FIXTURES = fileURLToPath(new URL('../runtime/fixtures/python', import.meta.url));

/** The artifact of a fixture as the loader builds it, with its program file in `place`. */
export function pythonArtifact(fixture: string, place: string): Artifact {
  const entryFile = join(FIXTURES, `${fixture}.py`);
  const programFile = join(place, `${fixture}.json`);
  const kind: Artifact['kind'] = fixture.startsWith('channel-') ? 'channel' : 'tools';
  const candidate = { kind, folder: FIXTURES, entryFile };
  mkdirSync(place, { recursive: true });
  writeFileSync(programFile, pythonProgram(candidate, new Map([[entryFile, readFileSync(entryFile)]])));
  return { ...candidate, extension: fixture, runtime: 'python', contentHash: fixture, programFile };
}
