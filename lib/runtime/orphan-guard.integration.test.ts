import { existsSync, mkdtempSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from '#lib/testing/child-processes.ts';
import { PROGRAMS_DIR } from '#lib/testing/shared-programs.ts';
import { createRuntimeHarness, pythonArtifact, resultOf, type RuntimeHarness } from '#lib/runtime/runtime-harness.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createNodeRuntime } from './node-runtime.ts';
import { createControlGroups, createOrphanGuard } from './orphan-guard.ts';
import { createPythonRuntime } from './python-runtime.ts';
import type { OrphanGuard } from './orphan-guard.ts';

/** Daemons that extensions start: with control groups, and with marks alone. */
const place = realpathSync(mkdtempSync(join(tmpdir(), 'orphan-guard-')));
const folder = fileURLToPath(new URL('fixtures', import.meta.url));
const environment = { PATH: process.env['PATH'] ?? '' };
const probe = createControlGroups(`probe.${process.pid}`);
if (probe !== null) rmdirSync(probe.folder);

afterAll(() => rmSync(place, { recursive: true }));

const alike = (orphans: OrphanGuard) => ({
  limits: { loadTimeoutMs: 20_000, maxResultBytes: 1_000, extensionMemoryMb: 300 },
  environmentOf: () => environment,
  commonEnvironment: environment,
  workspaceRoot: place,
  cacheDir: PROGRAMS_DIR,
  orphans,
});

const RUNTIMES: Readonly<Record<'node' | 'python', (orphans: OrphanGuard) => RuntimeHarness>> = {
  node: (orphans) =>
    createRuntimeHarness(
      createNodeRuntime({ ...alike(orphans), permissionsOf: () => ['run'], nodeModulesDirs: [], programDir: folder }),
      (name) => {
        const file = join(folder, `${name}.mjs`);
        return { extension: name, kind: 'tools', runtime: 'node', contentHash: name, folder, entryFile: file, programFile: file };
      },
    ),
  python: (orphans) =>
    createRuntimeHarness(createPythonRuntime({ ...alike(orphans), python: 'python3' }), (name) =>
      pythonArtifact(name, join(place, 'programs')),
    ),
};

const DAEMONS = {
  node: ['detached', 'behind_shell'],
  python: ['forked', 'executed', 'executed_by_name', 'spawned', 'spawned_by_mode'],
} as const;

async function startDaemons(harness: RuntimeHarness, tools: readonly string[]): Promise<readonly number[]> {
  const extension = await harness.start('leaves-daemons');
  const pids: number[] = [];
  for (const tool of tools) pids.push(Number(await resultOf(extension, tool)));
  expect(pids.filter((pid) => !isAlive(pid))).toEqual([]);
  return pids;
}

/** Processes that stay alive. */
async function leftOf(pids: readonly number[]): Promise<readonly number[]> {
  await vi.waitFor(() => expect(pids.some(isAlive)).toBe(false), { timeout: 30_000, interval: 20 }).catch(() => undefined);
  return pids.filter(isAlive);
}

describe.runIf(process.platform === 'linux').each(['node', 'python'] as const)('daemons that an extension in %s starts', (kind) => {
  it('end with it when only their mark is known', async () => {
    const orphans = createOrphanGuard({ dataDir: join(place, `${kind}-marks`), controlGroups: false });
    const harness = RUNTIMES[kind](orphans);
    const pids = await startDaemons(harness, DAEMONS[kind]);
    await harness.runtime.close();
    expect(await leftOf(pids)).toEqual([]);
    await orphans.close();
  });

  it.runIf(probe !== null)('end with it in a control group, even without an environment, and no group is left', async () => {
    const orphans = createOrphanGuard({ dataDir: join(place, `${kind}-groups`) });
    const groups = orphans.mark(true).prefix.at(-1) ?? '';
    const harness = RUNTIMES[kind](orphans);
    const pids = await startDaemons(harness, [...DAEMONS[kind], 'without_environment']);
    await harness.runtime.close();
    expect(await leftOf(pids)).toEqual([]);
    await orphans.close();
    expect(groups).toMatch(/cgroup\.procs$/);
    await vi.waitFor(() => expect(existsSync(join(groups, '../..'))).toBe(false));
  });

  it.runIf(probe !== null)('end at the next start on the data folder when no process was left to end them', async () => {
    const dataDir = join(place, `${kind}-next`);
    const orphans = createOrphanGuard({ dataDir });
    const harness = RUNTIMES[kind](orphans);
    const pids = await startDaemons(harness, ['without_environment']);
    const next = createOrphanGuard({ dataDir });
    expect(await next.sweepEarlier()).toBeGreaterThanOrEqual(1);
    expect(await leftOf(pids)).toEqual([]);
    await harness.runtime.close();
    await Promise.all([orphans.close(), next.close()]);
  });
});
