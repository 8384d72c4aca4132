import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import * as z from 'zod';
import { describeServer } from '#lib/loader/describe-server.ts';
import { PROGRAMS_DIR } from '#lib/testing/shared-programs.ts';
import { createMcpRuntime } from './mcp-runtime.ts';
import { describeRuntimeContract } from './runtime-contract.ts';
import type { Artifact } from './runtime.ts';

const SERVER = fileURLToPath(new URL('./fixtures/runtime-server.mjs', import.meta.url));
const place = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-runtime-')));
const resultShape = z.object({ structuredContent: z.object({ value: z.unknown() }) });

function artifactOf(fixture: string): Artifact {
  const folder = join(place, fixture);
  const programFile = join(folder, 'server.json');
  const connection = { type: 'stdio', command: process.execPath, args: [SERVER, fixture], env: {}, cwd: null };
  mkdirSync(folder, { recursive: true });
  writeFileSync(programFile, JSON.stringify({ extension: fixture, folder, subject: [], prefix: '', connection, warnings: [] }));
  return { extension: fixture, kind: 'mcp', runtime: 'mcp', contentHash: fixture, folder, entryFile: programFile, programFile };
}

afterAll(() => rmSync(place, { recursive: true }));

describeRuntimeContract({
  name: 'mcp',
  artifactOf,
  create: (limits) =>
    createMcpRuntime({
      limits,
      environmentOf: () => ({}),
      commonEnvironment: {},
      workspaceRoot: place,
      cacheDir: PROGRAMS_DIR,
    }),
  describe: describeServer,
  valueOf: (result) => resultShape.parse(result).structuredContent.value,
  ends: { exit: 'ended with exit code 7', kill: 'ended with exit code' },
  status: { connected_by: 'standard streams', server: 'logs-and-reports 1.0.0', protocol: expect.any(String) },
});
