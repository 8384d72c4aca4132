import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenOf } from '#lib/testing/child-processes.ts';
import { PROGRAMS_DIR } from '#lib/testing/shared-programs.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createNodeRuntime } from './node-runtime.ts';
import { call, createRuntimeHarness, resultOf, type RuntimeHarness } from './runtime-harness.ts';
import type { Artifact, RawDescription, RunningExtension } from './runtime.ts';

/** Load failures that only Node modules have, and the module forms they may use. */
const FIXTURES = fileURLToPath(new URL('./fixtures', import.meta.url));
const place = realpathSync(mkdtempSync(join(tmpdir(), 'node-loading-')));
let harness: RuntimeHarness;
let extension: RunningExtension | null = null;

function artifactOf(fixture: string): Artifact {
  const file = join(FIXTURES, extname(fixture) === '' ? `${fixture}.mjs` : fixture);
  return { extension: fixture, kind: 'tools', runtime: 'node', contentHash: fixture, folder: FIXTURES, entryFile: file, programFile: file };
}

async function start(fixture: string): Promise<RunningExtension> {
  extension = await harness.start(fixture);
  return extension;
}

beforeAll(() => {
  const runtime = createNodeRuntime({
    limits: { loadTimeoutMs: 10_000, maxResultBytes: 5_000_000, extensionMemoryMb: 200 },
    permissionsOf: () => [],
    environmentOf: () => ({}),
    workspaceRoot: place,
    nodeModulesDirs: [],
    programDir: join(place, 'programs'),
    cacheDir: PROGRAMS_DIR,
  });
  harness = createRuntimeHarness(runtime, artifactOf);
});

afterEach(async () => {
  await extension?.close(0);
  extension = null;
});

afterAll(async () => {
  await harness.runtime.close();
  rmSync(place, { recursive: true });
});

describe('an import', () => {
  it('of a missing export is unresolved', async () => {
    const failure = await harness.fail('misses-export');
    expect(failure).toMatchObject({ code: 'import_unresolved', message: expect.stringContaining('notThere') });
  });

  it('that V8 cannot parse is a syntax error', async () => {
    expect(await harness.fail('breaks-syntax')).toMatchObject({
      code: 'syntax_error',
      message: expect.stringContaining("Unexpected token '='"),
    });
  });

  it('that throws null is an import error with a message', async () => {
    expect(await harness.fail('throws-null-at-import')).toMatchObject({
      code: 'import_error',
      message: expect.stringContaining('null was thrown'),
      subject: ['throw', 'null'],
    });
  });

  it('that extends every object leaves its tools unchanged', async () => {
    const extended = await start('extends-every-object');
    expect(await resultOf(extended, 'copy', { city: 'Rome' })).toEqual({ city: 'Rome', days: [1] });
    expect(await call(extended, 'copy', { town: 'Rome' })).toMatchObject({
      error: { kind: 'invalid_parameters', issues: [{ path: '/city' }, { path: '/town' }] },
    });
    expect(await extended.status()).toMatchObject({ value: { isExtended: 'function' }, error: null });
  });

  it('that extends every object in a way that breaks validation is reported', async () => {
    expect(await harness.fail('changes-json-of-every-object')).toMatchObject({
      code: 'import_error',
      message: expect.stringContaining('The file adds `toJSON`, `items` to `Object.prototype`') as unknown,
      hint: expect.stringContaining('a function or a class') as unknown,
    });
  });

  it('with an unhandled rejection fails at once', async () => {
    expect(await harness.fail('rejects-at-import')).toMatchObject({
      code: 'import_error',
      message: expect.stringContaining('nobody awaited this'),
      line: 1,
    });
  });

  it('that exits reports where', async () => {
    expect(await harness.fail('exits-at-import')).toMatchObject({
      code: 'process_exited',
      line: 2,
      file: join(FIXTURES, 'exits-at-import.mjs'),
    });
  });

  it.each(['false-frame-length', 'false-frame-message'])(
    'that writes invalid frames to the pipe of the host is stopped (%s)',
    async (fixture) => {
      expect(await harness.fail(fixture)).toMatchObject({
        code: 'process_exited',
        message: expect.stringContaining('was stopped because'),
      });
    },
  );

  it('with an endless description is refused', async () => {
    expect(await harness.fail('describes-too-much')).toMatchObject({ code: 'tool_invalid', message: expect.stringContaining('Shorten') });
  });

  it('marks values in its description that JSON does not support', async () => {
    const seen: RawDescription[] = [];
    await harness.load('describes-unsupported-values', {
      describe(raw) {
        seen.push(raw);
        return { ok: false, failure: { code: 'tool_invalid', message: 'seen' } };
      },
    });
    expect(seen).toEqual([
      {
        exports: ['TOOL', 'status'],
        hasState: true,
        hasStatus: true,
        values: {
          TOOL: {
            label: 'Test',
            name: 'odd',
            description: { '@@type': 'undefined' },
            parameters: {
              circular: { self: { '@@type': 'circular' } },
              big: { '@@type': 'bigint', text: '10' },
              symbol: { '@@type': 'symbol' },
              when: { '@@type': 'date' },
              not: { '@@type': 'number', text: 'NaN' },
              map: { '@@type': 'map' },
            },
            annotations: { '@@type': 'accessor', message: 'no annotations today' },
            execute: { '@@type': 'function' },
          },
        },
      },
    ]);
  });

  it('of CommonJS serves the tool of `module.exports`', async () => {
    expect(await resultOf(await start('common-js.cjs'), 'old')).toBe('from CommonJS');
  });

  it('may use both drafts, one `$id` twice, patterns that are not Unicode, and the schema of schemas', async () => {
    const both = await start('two-drafts');
    expect(await call(both, 'newest', { pair: ['a', 'b'] })).toMatchObject({ error: { issues: [{ path: '/pair/1', keyword: 'type' }] } });
    expect(await call(both, 'older', { pair: ['a', 'b'] })).toMatchObject({ error: { issues: [{ path: '/pair/1', keyword: 'type' }] } });
    expect(await call(both, 'loose_pattern', { id: 'a-b.c' })).toMatchObject({ status: 'succeeded' });
    expect(await call(both, 'takes_schema', { schema: { type: 'nothing' } })).toMatchObject({ error: { kind: 'invalid_parameters' } });
  });
});

describe('a repeated import', () => {
  it('validates the arguments of the first call', async () => {
    for (let load = 1; load <= 2; load += 1) {
      const both = await start('two-drafts');
      expect(await both.validate('older', '{"pair":["a","b"]}')).toMatchObject([{ path: '/pair/1', keyword: 'type' }]);
      expect(await call(both, 'newest', { pair: ['a', 'b'] })).toMatchObject({ error: { issues: [{ path: '/pair/1', keyword: 'type' }] } });
      expect(await call(both, 'newest', { pair: ['a', 1] })).toMatchObject({ status: 'succeeded' });
      await both.close(0);
    }
  });

  it('still refuses an invalid schema', async () => {
    for (let load = 1; load <= 2; load += 1) expect(await harness.fail('wrong-schema')).toMatchObject({ code: 'parameters_invalid' });
  });
});

describe('a start', () => {
  const startWith = (loadTimeoutMs: number, workspaceRoot: string) =>
    createRuntimeHarness(
      createNodeRuntime({
        limits: { loadTimeoutMs, maxResultBytes: 1_000, extensionMemoryMb: 200 },
        permissionsOf: () => [],
        environmentOf: () => ({}),
        workspaceRoot,
        nodeModulesDirs: [],
        programDir: place,
        cacheDir: PROGRAMS_DIR,
      }),
      artifactOf,
    );

  it('without a response in time is distinguished from a slow import', async () => {
    const hasty = startWith(1, place);
    expect(await hasty.fail('echo')).toMatchObject({ code: 'start_timeout', message: expect.stringContaining('LOAD_TIMEOUT_MS') });
    await hasty.runtime.close();
  });

  it('that the operating system refuses reports the reason', async () => {
    const file = join(place, 'a-file');
    writeFileSync(file, '');
    const refused = startWith(5_000, file);
    expect(await refused.fail('echo')).toMatchObject({ code: 'spawn_failed', message: expect.stringContaining('ENOTDIR') });
    await refused.runtime.close();
  });

  it('in progress when the runtime closes leaves no process behind', async () => {
    const closing = startWith(5_000, place);
    const loads = Promise.all(['echo', 'never-settles-at-import', 'logs-and-reports'].map((fixture) => closing.load(fixture)));
    closing.runtime.prepare([FIXTURES]);
    await closing.runtime.close();
    await loads;
    expect(childrenOf(process.pid).filter(({ command }) => command.includes(place))).toEqual([]);
  });
});
