import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { pythonArtifact } from '#lib/runtime/runtime-harness.ts';
import { PROGRAMS_DIR } from '#lib/testing/shared-programs.ts';
import { createPythonRuntime } from './python-runtime.ts';
import { describeChannelContract } from './channel-contract.ts';
import type { ChannelRuntimeUnderTest } from './channel-contract.ts';
import { describeImportContract, describeRuntimeContract } from './runtime-contract.ts';
import type { Artifact } from './runtime.ts';

const place = realpathSync(mkdtempSync(join(tmpdir(), 'python-runtime-')));

afterAll(() => rmSync(place, { recursive: true }));

const artifactOf = (fixture: string): Artifact => pythonArtifact(fixture, join(place, 'programs'));
const create: ChannelRuntimeUnderTest['create'] = (limits, channelLimits) =>
  createPythonRuntime({
    limits,
    channelLimits,
    python: 'python3',
    environmentOf: () => ({}),
    commonEnvironment: { PATH: process.env['PATH'] ?? '' },
    workspaceRoot: place,
    cacheDir: PROGRAMS_DIR,
  });

describeRuntimeContract({
  name: 'python',
  artifactOf,
  create,
  valueOf: (result) => result,
  ends: { exit: 'ended with exit code 7', kill: 'SIGKILL' },
  status: { connected: true },
});
describeImportContract({ name: 'python', artifactOf, create });
describeChannelContract({ name: 'python', artifactOf, create });
