import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FAILURE_CODES, type FailureCode } from '#lib/contract/failure-codes.ts';
import { type Provocation, PROVOCATIONS } from '#lib/testing/failing-files.ts';
import { PYTHON_PROVOCATIONS } from '#lib/testing/failing-python-files.ts';
import { SERVER_PROVOCATIONS } from '#lib/testing/failing-servers.ts';
import { serveSigning } from '#lib/testing/signing-mcp-server.ts';
import { type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';
import { saveCallRequest } from '#lib/testing/api-records.ts';

/**
 * Every code of this version, provoked by realistic files; the last test compares the lists with the table.
 */
const PATIENCE = { timeout: 15_000 };
const NOBODY = { name: null };
/** Failures at LOAD_TIMEOUT_MS, or of a server that never answers. */
const AT_LIMIT = /_timeout$|^mcp_error$/;

const NEIGHBOUR = { 'neighbour/extension.ts': oneTool('neighbour_tool', 'well') };

/** A provocation whose extension has an id of its own, so that many can fail in one host. */
interface Placed extends Provocation {
  readonly id: string;
  /** A text of its failure, as if its id were `x`. */
  asX(text: string): string;
}

function place(provocation: Provocation, at: number): Placed {
  const names = Object.keys(provocation.files);
  const own = names.includes('mcp.json') ? 'x' : `x${at}`;
  const rename = (file: string): string => file.replace(/^((?:tools|channels)\/)?x(?=[/.]|$)/, `$1${own}`);
  const files = Object.fromEntries(Object.entries(provocation.files).map(([file, text]) => [rename(file), text]));
  const { file } = provocation.expected;
  const expected = { ...provocation.expected, ...(typeof file === 'string' ? { file: rename(file) } : {}) };
  return { ...provocation, files, expected, id: idOf(rename(names[0] ?? '')), asX: (text) => text.replaceAll(own, 'x') };
}

const idOf = (file: string): string =>
  file === 'mcp.json' ? 'x' : /^(?:tools|channels)\//.test(file) ? file.replace(/\.\w+$/, '') : (file.split('/')[0] ?? '');

/** Groups without files of the same name. */
function groupsOf(all: readonly Placed[]): readonly (readonly Placed[])[] {
  const groups: { readonly names: Set<string>; readonly members: Placed[] }[] = [];
  for (const one of all) {
    const names = Object.keys(one.files).flatMap((file) => (file.startsWith('x/') ? ['x', file] : [file]));
    let group = groups.find((other) => names.every((name) => !other.names.has(name)));
    if (group === undefined) groups.push((group = { names: new Set(), members: [] }));
    for (const name of names) group.names.add(name);
    group.members.push(one);
  }
  return groups.map(({ members }) => members);
}

const PLACED = [...PROVOCATIONS, ...PYTHON_PROVOCATIONS, ...SERVER_PROVOCATIONS].map(place);

describe.each([
  ...groupsOf(PLACED.filter(({ code }) => !AT_LIMIT.test(code))).map((provocations) => ({ provocations, loadTimeoutMs: 60_000 })),
  { provocations: PLACED.filter(({ code }) => AT_LIMIT.test(code)), loadTimeoutMs: 5_000 },
])('among $provocations.length files that cannot be loaded', ({ provocations, loadTimeoutMs }) => {
  let living: LivingHost;
  beforeAll(async () => {
    const files = Object.assign({}, NEIGHBOUR, ...provocations.map((one) => one.files));
    living = await startHost(files, { prewarms: true, loadTimeoutMs });
  });
  afterAll(() => living.remove());

  it.each(provocations)('$code: $what', async ({ code, id, expected, says, asX }) => {
    const { extension, call } = living;
    const failure = await vi.waitFor(() => {
      const found = extension(id)?.failure;
      expect(found?.code).toBe(code);
      // An extension that starts two programs may report a timeout first; it is retried automatically.
      expect(asX(`${found?.message} ${found?.hint}`)).toMatch(says);
      return found;
    }, PATIENCE);
    expect(failure).toMatchObject({ ...expected, stage: FAILURE_CODES[code].stage, extension: id });
    expect(failure?.hint.length).toBeGreaterThan(20);
    expect(failure?.error).not.toContain('\n');
    if (failure?.line != null) expect(failure.code_frame).toMatch(new RegExp(`> *${failure.line} \\|`));
    expect(`${failure?.message}${failure?.stack ?? ''}`).not.toContain('artifacts');
    expect((await call('neighbour_tool')).status).toBe('succeeded');
  });
});

let alone: LivingHost | null = null;
afterEach(async () => {
  await alone?.remove();
  alone = null;
});

/** Failures that need their own host: limits that would fail other extensions too, and processes that die. */
const ON_THEIR_OWN: Partial<Record<FailureCode, { readonly what: string; run(): Promise<void> }>> = {
  server_sign_in_needed: {
    what: 'a server that asks for a sign-in',
    async run() {
      const server = await serveSigning();
      onTestFinished(() => server.close());
      alone = await startHost({ 'x/mcp.json': JSON.stringify({ url: server.url }) });
      await vi.waitFor(() => expect(alone?.extension('x')?.failure?.code).toBe('server_sign_in_needed'), PATIENCE);
    },
  },
  start_timeout: {
    what: 'a process that gives no sign within LOAD_TIMEOUT_MS',
    async run() {
      // With the permission `read`, it gets a new process: a prewarmed one could be faster than any limit.
      alone = await startHost(
        { 'x/extension.ts': oneTool('x_tool', 'late') },
        { loadTimeoutMs: 1, extensionAllow: [{ extension: 'x', permission: 'read' }] },
      );
      expect(alone.extension('x')).toMatchObject({
        state: 'failed',
        failure: { code: 'start_timeout', stage: 'start', file: 'x/extension.ts' },
      });
      expect(alone.extension('x')?.failure?.message).toContain('LOAD_TIMEOUT_MS');
    },
  },
  runtime_missing: {
    what: 'a Python extension on a server without Python',
    async run() {
      alone = await startHost({ 'x/extension.py': 'TOOL = {}' }, { python: 'python-that-is-not-there' });
      expect(alone.extension('x')).toMatchObject({
        state: 'failed',
        failure: { code: 'runtime_missing', stage: 'start', file: 'x/extension.py' },
      });
      expect(alone.extension('x')?.failure?.hint).toContain('PYTHON');
    },
  },
  spawn_failed: {
    what: 'a workspace that is a file, in which no process can be started',
    async run() {
      alone = await startHost({ 'x/extension.ts': oneTool('x_tool', 'never') }, { workspaceRoot: import.meta.filename });
      expect(alone.extension('x')).toMatchObject({
        state: 'failed',
        failure: { code: 'spawn_failed', stage: 'start', file: 'x/extension.ts' },
      });
      expect(alone.extension('x')?.failure?.message).toContain('ENOTDIR');
    },
  },
  dependencies_missing: {
    what: 'a declared package that is not installed',
    async run() {
      alone = await startHost({
        'x/extension.ts': oneTool('x_tool', 'never'),
        'x/package.json': '{"dependencies": {"colour-names": "^1.0.0"}}',
      });
      expect(alone.extension('x')).toMatchObject({
        state: 'failed',
        failure: { code: 'dependencies_missing', stage: 'start', file: 'x/package.json', line: 1 },
      });
      expect(alone.extension('x')?.failure?.message).toContain('colour-names@^1.0.0');
    },
  },
  dependencies_failed: {
    what: 'a declared package that comes from no index',
    async run() {
      alone = await startHost({ 'x/extension.py': 'TOOL = {}', 'x/requirements.txt': 'a\n-e git+https://elsewhere.example/b\n' });
      expect(alone.extension('x')).toMatchObject({
        state: 'failed',
        failure: { code: 'dependencies_failed', stage: 'start', file: 'x/requirements.txt', line: 2 },
      });
    },
  },
  check_failed: {
    what: 'a save after which a required check gives something else, while the last good revision goes on',
    async run() {
      alone = await startHost({ 'x/extension.ts': oneTool('x_tool', 'right') });
      const { host, save, extension, call } = alone;
      const expectation = { result_includes: { answer: 'right' } };
      must(await host.savedCalls.save(saveCallRequest({ tool: 'x_tool', name: 'Right', expectation, required: true }), NOBODY));
      await save({ 'x/extension.ts': oneTool('x_tool', 'wrong') });
      await vi.waitFor(
        () =>
          expect(extension('x')).toMatchObject({
            state: 'degraded',
            serving_revision: 1,
            failure: { code: 'check_failed', stage: 'register', file: 'x/extension.ts', failed_checks: [{ name: 'Right' }] },
          }),
        PATIENCE,
      );
      expect((await call('x_tool')).result).toMatchObject({ answer: 'right' });
    },
  },
  crash_loop: {
    what: 'three exits in five minutes end the restarts until a person presses Restart',
    async run() {
      alone = await startHost({
        'x/extension.ts': `export const TOOL = { label: 'T', name: 'die_now', description: 'Dies.', parameters: { die: { type: 'boolean' } }, execute({ die }) { if (die) process.exit(3); return 'alive'; } };`,
      });
      const { call, extension, host } = alone;
      for (let time = 0; time < 3; time++)
        expect(await call('die_now', { die: true })).toMatchObject({ status: 'failed', error: { kind: 'extension_crashed' } });
      await vi.waitFor(
        () =>
          expect(extension('x')).toMatchObject({ state: 'failed', serving_revision: null, failure: { code: 'crash_loop', stage: 'run' } }),
        PATIENCE,
      );
      for (const named of [{}, { revision: 1 }])
        expect(await call('die_now', {}, named)).toMatchObject({ status: 'failed', revision: 1, error: { kind: 'extension_unavailable' } });
      expect(must(host.extensions.logs('x', {}))).toMatchObject({ revision: 1 });
      expect(must(host.tools.get('die_now')).available).toBe(false);
      expect(must(await host.extensions.restart('x', { name: 'Ada' }))).toMatchObject({ state: 'ready', failure: null });
      expect((await call('die_now')).result).toBe('alive');
    },
  },
  memory_limit: {
    what: 'a process that takes more than it may is stopped and its call says why',
    async run() {
      alone = await startHost(
        {
          'x/extension.ts': `export const TOOL = { label: 'T', name: 'eat_memory', description: 'Eats.', parameters: {}, async execute() { const kept = []; for (;;) { kept.push(Buffer.alloc(8e6, 1)); await new Promise((go) => setTimeout(go, 5)); } } };`,
        },
        { extensionMemoryMb: 160 },
      );
      expect(await alone.call('eat_memory')).toMatchObject({
        status: 'failed',
        error: { kind: 'extension_crashed', data: { reason: 'memory_limit' } },
      });
      expect(alone.extension('x')?.state).toBe('ready');
    },
  },
  unresponsive: {
    what: 'an endless loop ends by its timeout, is recorded, and the next call works',
    async run() {
      alone = await startHost({
        'x/extension.ts': `export const TOOL = { label: 'T', name: 'spin_around', description: 'Spins.', parameters: { spin: { type: 'boolean' } }, execute({ spin }) { while (spin) {} return 'still'; } };`,
      });
      expect(await alone.call('spin_around', { spin: true }, { timeoutMs: 300 })).toMatchObject({
        status: 'timed_out',
        error: { kind: 'timeout' },
      });
      await vi.waitFor(() => expect(alone?.log.join('\n')).toContain('unresponsive'), PATIENCE);
      expect((await alone.call('spin_around')).result).toBe('still');
    },
  },
};

describe('an extension that cannot be started, or stops while it runs', () => {
  it.each(Object.entries(ON_THEIR_OWN).map(([code, { what, run }]) => ({ code, what, run })))('$code: $what', async ({ code, run }) => {
    await run();
    await vi.waitFor(() => expect(alone?.log.join('\n')).toContain(`extension x failed (${code})`), PATIENCE);
  });
});

describe('the table of failure codes', () => {
  it('has a provocation for each code', () => {
    const provoked = new Set([...[...PROVOCATIONS, ...SERVER_PROVOCATIONS].map(({ code }) => code), ...Object.keys(ON_THEIR_OWN)]);
    expect(provoked).toEqual(new Set(Object.keys(FAILURE_CODES)));
  });
});
