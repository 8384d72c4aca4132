import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { PROGRAMS_DIR } from '#lib/testing/shared-programs.ts';
import { createNodeRuntime } from './node-runtime.ts';
import { describeChannelContract } from './channel-contract.ts';
import type { ChannelRuntimeUnderTest } from './channel-contract.ts';
import { describeImportContract, describeRuntimeContract } from './runtime-contract.ts';
import type { Artifact } from './runtime.ts';

const FIXTURES = fileURLToPath(new URL('./fixtures', import.meta.url));
const place = realpathSync(mkdtempSync(join(tmpdir(), 'node-runtime-')));

function artifactOf(fixture: string): Artifact {
  const file = join(FIXTURES, extname(fixture) === '' ? `${fixture}.mjs` : fixture);
  const kind = fixture.startsWith('channel-') ? 'channel' : 'tools';
  return { extension: fixture, kind, runtime: 'node', contentHash: fixture, folder: FIXTURES, entryFile: file, programFile: file };
}

afterAll(() => rmSync(place, { recursive: true }));

const create: ChannelRuntimeUnderTest['create'] = (limits, channelLimits) =>
  createNodeRuntime({
    limits,
    channelLimits,
    permissionsOf: () => [],
    environmentOf: () => ({}),
    workspaceRoot: place,
    nodeModulesDirs: [],
    programDir: join(place, 'programs'),
    cacheDir: PROGRAMS_DIR,
  });

describeRuntimeContract({
  name: 'node',
  artifactOf,
  create,
  valueOf: (result) => result,
  ends: { exit: 'ended with exit code 7', kill: 'SIGKILL' },
  status: { connected: true },
});
describeImportContract({ name: 'node', artifactOf, create });
describeChannelContract({ name: 'node', artifactOf, create });
