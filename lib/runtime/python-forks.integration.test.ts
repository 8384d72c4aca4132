import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf, descendantsOf, isAlive } from '#lib/testing/child-processes.ts';
import { PROGRAMS_DIR } from '#lib/testing/shared-programs.ts';
import { call, createRuntimeHarness, pythonArtifact, resultOf, type RuntimeHarness } from '#lib/runtime/runtime-harness.ts';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createOrphanGuard } from './orphan-guard.ts';
import { createPythonRuntime } from './python-runtime.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import type { RunningExtension } from './runtime.ts';

/** Python processes forked from a server, which must equal those that the host starts. */
const place = realpathSync(mkdtempSync(join(tmpdir(), 'python-forks-')));
const FACTS = z.object({
  pid: z.number(),
  parent: z.number(),
  group: z.number(),
  session: z.number(),
  directory: z.string(),
  arguments: z.array(z.string()),
  files: z.array(z.number()),
  marks: z.array(z.string()),
  variables: z.array(z.string()),
  core: z.number(),
  open_files: z.number(),
  data: z.number(),
});

let orphans: OrphanGuard;
let harness: RuntimeHarness;
let running: RunningExtension[] = [];

const harnessWith = (python: string): RuntimeHarness =>
  createRuntimeHarness(
    createPythonRuntime({
      limits: { loadTimeoutMs: 20_000, maxResultBytes: 100_000, extensionMemoryMb: 200 },
      python,
      environmentOf: () => ({ OWN: 'yes' }),
      commonEnvironment: { PATH: process.env['PATH'] ?? '' },
      workspaceRoot: place,
      cacheDir: PROGRAMS_DIR,
      orphans,
    }),
    (fixture) => pythonArtifact(fixture, join(place, 'programs')),
  );

const start = async (fixture = 'inspects-process'): Promise<RunningExtension> => {
  const extension = await harness.start(fixture);
  running.push(extension);
  return extension;
};

const look = async (extension: RunningExtension): Promise<z.infer<typeof FACTS>> => FACTS.parse(await resultOf(extension, 'look'));

const serversOf = (): readonly number[] =>
  childrenOf(process.pid).flatMap(({ pid, command }) => (command.endsWith('fork-server') ? [pid] : []));

beforeEach(() => {
  orphans = createOrphanGuard({ dataDir: join(place, 'data') });
  harness = harnessWith('python3');
});

afterEach(async () => {
  await Promise.all(running.map((extension) => extension.close(0)));
  running = [];
  await harness.runtime.close();
  await orphans.close();
});

afterAll(() => rmSync(place, { recursive: true }));

describe.runIf(process.platform === 'linux')('a forked Python process', () => {
  it('has its own session, limits, priority, environment and mark, and no descriptor but its own', async () => {
    const [one, other] = [await look(await start()), await look(await start())];
    expect(serversOf()).toEqual([one.parent]);
    expect(other.parent).toBe(one.parent);
    for (const facts of [one, other]) {
      expect(facts).toMatchObject({ group: facts.pid, session: facts.pid, directory: place, arguments: [''], core: 0, open_files: 4_096 });
      expect(facts).toMatchObject({ data: (2 * 200 + 1_024) * 1_048_576, variables: ['OWN'] });
      // The link, the event loop's poll and pair of sockets, and the folder being read.
      expect(facts.files.filter((file) => file <= 3)).toEqual([0, 1, 2, 3]);
      expect(facts.files.length).toBeLessThanOrEqual(8);
      expect(facts.marks).toHaveLength(1);
      expect(getPriority(facts.pid)).toBe(Math.min(getPriority() + 5, constants.priority.PRIORITY_LOW));
      await harness.until(() => readFileSync(`/proc/${facts.pid}/autogroup`, 'utf8').includes('nice 5'));
    }
    expect(one.marks).not.toEqual(other.marks);
    expect(readFileSync(`/proc/${one.parent}/environ`, 'latin1')).not.toContain(one.marks[0]);
  });

  it.each([
    [3, 'ended with exit code 3'],
    [0, 'ended with exit code 0'],
  ])('that ends with %i is reported with its exit code', async (code, words) => {
    const extension = await start();
    expect(await call(extension, 'leave', { code })).toMatchObject({
      error: {
        kind: 'extension_crashed',
        message: expect.stringContaining(words),
        data: { reason: 'exit', exit_code: code, signal: null },
      },
    });
  });

  it('that is killed is reported with the signal', async () => {
    const extension = await start('misbehaves');
    const pid = extension.process().pid ?? 0;
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() =>
      expect(extension.logs().lines.map(({ message }) => message)).toContainEqual(expect.stringContaining('was killed by SIGKILL')),
    );
  });

  it('keeps serving when the fork server is killed; another fork server starts the next process, and both exits are noticed', async () => {
    const survivor = await start();
    const before = await look(survivor);
    expect(await resultOf(survivor, 'kill_parent')).toBe('killed');
    await harness.until(() => !isAlive(before.parent));
    expect(await look(survivor)).toMatchObject({ pid: before.pid });
    const next = await look(await start());
    // A prewarmed process may come from the first server.
    const third = await look(await start());
    expect(serversOf()).toEqual([third.parent]);
    expect([third.pid, before.pid]).not.toContain(next.pid);
    expect(await call(survivor, 'leave', { code: 3 })).toMatchObject({ status: 'failed', error: { kind: 'extension_crashed' } });
    await harness.until(() => !isAlive(before.pid));
    expect((await look(survivor)).pid).not.toBe(before.pid);
  });

  it('is started by another fork server when the first one is suspended', async () => {
    const { parent } = await look(await start());
    process.kill(parent, 'SIGSTOP');
    // The first one may have been prewarmed.
    await start();
    expect((await look(await start())).parent).not.toBe(parent);
    await harness.until(() => !isAlive(parent));
  });

  it('is started directly while fork servers keep exiting', async () => {
    const extensions: RunningExtension[] = [];
    let last = 0;
    for (let tried = 0; tried < 12 && last !== process.pid; tried += 1) {
      const extension = await start();
      extensions.push(extension);
      last = (await look(extension)).parent;
      // Another one may start for a prewarmed process.
      await harness.until(() => {
        const servers = serversOf();
        for (const server of servers) process.kill(server, 'SIGKILL');
        return servers.length === 0;
      });
    }
    expect(last).toBe(process.pid);
    for (const extension of extensions) await look(extension);
  });

  it('leaves nothing behind when the runtime closes', async () => {
    const extension = await start('misbehaves');
    void call(extension, 'loop', {}, 600_000);
    const all = descendantsOf(process.pid).filter(({ command }) => command.includes('main.py'));
    expect(all.length).toBeGreaterThanOrEqual(2);
    await harness.runtime.close();
    expect(all.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });
});

it.runIf(process.platform === 'linux')('finds a package that was installed after the fork server started', async () => {
  const environment = join(place, 'environment');
  execFileSync('python3', ['-m', 'venv', '--without-pip', environment]);
  harness = harnessWith(join(environment, 'bin', 'python'));
  const first = (await look(await start())).parent;
  const packages = execFileSync(join(environment, 'bin', 'python'), ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
  mkdirSync(join(packages.toString().trim(), 'new_package'));
  const parents = [(await look(await start())).parent, (await look(await start())).parent];
  expect(parents.at(-1)).not.toBe(first);
  expect(serversOf()).toContain(parents.at(-1));
});
