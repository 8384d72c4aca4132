import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { pythonArtifact } from '#lib/testing/python-artifact.ts';
import { createPythonRuntime } from './python-runtime.ts';
import { describeRuntimeContract } from './runtime-contract.ts';

const place = realpathSync(mkdtempSync(join(tmpdir(), 'python-runtime-')));

afterAll(() => rmSync(place, { recursive: true }));

describeRuntimeContract({
  name: 'python',
  artifactOf: (fixture) => pythonArtifact(fixture, join(place, 'programs')),
  create: (limits) =>
    createPythonRuntime({
      limits,
      python: 'python3',
      environmentOf: () => ({}),
      commonEnvironment: { PATH: process.env['PATH'] ?? '' },
      workspaceRoot: place,
      cacheDir: join(place, 'cache'),
    }),
});
