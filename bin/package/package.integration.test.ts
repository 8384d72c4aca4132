import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { LocalIndex } from '#lib/testing/local-index.ts';
import { startLocalIndex } from '#lib/testing/local-index.ts';

/**
 * Packs this checkout as `npm pack` does, runs the tarball with npx in an empty folder, and then what npx installed. The registry has only the
 * packages with native parts, from the checkout, so the test detects a package that the manifest lacks.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const PACK_MS = 600_000;
const MIB = 2 ** 20;
/** Packages for this platform, without Node: the tests use the pinned one. */
const NATIVE = readdirSync(path.join(ROOT, 'node_modules/@oxc-parser'))
  .filter((name) => name.startsWith('binding-'))
  .map((name) => `@oxc-parser/${name}`)
  .concat('esbuild', `@esbuild/${process.platform}-${process.arch}`);

const NODE = `node-${process.platform}-${process.arch}`;

const packedSchema = z.tuple([
  z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string(), size: z.number() })) }),
]);
const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
});
const manifest = manifestSchema.parse(JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')));

let folder: string;
let index: LocalIndex;
let packed: z.infer<typeof packedSchema>[0];
/** The `node_modules` of npx. */
let modules: string;
let report: string;
let server: ChildProcess | null = null;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-package-'));
  packed = await pack();
  index = await startLocalIndex();
  for (const name of NATIVE) index.addInstalled(path.join(ROOT, 'node_modules', name));
  const args = ['--yes', `file:${path.join(folder, packed.filename)}`, 'doctor', '--json'];
  ({ stdout: report } = await run('npx', args, { cwd: emptyFolder('bare'), env: environment(index.environment) }));
  const installs = path.join(folder, '.npm/_npx');
  modules = path.join(installs, readdirSync(installs)[0] ?? '', 'node_modules');
}, PACK_MS);
afterEach(() => stopServer());
afterAll(async () => {
  await index.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

describe('the tarball', () => {
  it('is small, and has neither tests nor source maps', () => {
    expect(packed.size).toBeLessThan(15 * MIB);
    expect(sumOf(packed.files.map(({ size }) => size))).toBeLessThan(40 * MIB);
    expect(packed.files.map((file) => file.path).filter((file) => /\.test\.|\/test_|\.map$|__pycache__|\/fixtures\//.test(file))).toEqual(
      [],
    );
  });

  it('has the program, the documentation for authors, and examples', () => {
    expect(packed.files.map((file) => file.path)).toEqual(
      expect.arrayContaining([
        'bin/switchboard.mjs',
        'dist/.next/BUILD_ID',
        'dist/extension-api.d.ts',
        'dist/licenses.txt',
        'dist/programs/child/main.cjs',
        'dist/server.js',
        'dist/testing-types.d.ts',
        'docs/errors.md',
        'docs/operating.md',
        'extensions/tools/measure_text.ts',
        'lib/runtime/children/python/main.py',
        'LICENSE',
        'README.md',
      ]),
    );
    const known = /^(?:bin|dist|docs|extensions|lib\/(?:author-tests|contract|runtime\/children))\/|^[A-Z]+(?:\.md)?$|^package\.json$/;
    expect(packed.files.map((file) => file.path).filter((file) => !known.test(file))).toEqual([]);
  });

  it('needs only packages with native parts, in the versions of this checkout', () => {
    expect(Object.keys(manifest.dependencies)).toEqual(['esbuild']);
    const require = createRequire(import.meta.url);
    const versionOf = (name: string): string =>
      z.object({ version: z.string() }).parse(require(path.join(ROOT, 'node_modules', name, 'package.json'))).version;
    for (const [name, version] of Object.entries(manifest.optionalDependencies)) {
      expect(name).toMatch(/^(?:node-|@oxc-parser\/binding-)/);
      expect(version).toBe(name.startsWith('node-') ? process.versions.node : versionOf('oxc-parser'));
    }
  });

  it('contains no path of this machine', () => {
    const named = packed.files.map((file) => file.path).filter((file) => readFileSync(path.join(installed(), file)).includes(ROOT));
    expect(named).toEqual([]);
  });

  it('is the same when it is built again', { timeout: PACK_MS }, async () => {
    await run(process.execPath, ['bin/package/build-package.ts'], { cwd: ROOT });
    const built = packed.files.map((file) => file.path).filter((file) => file.startsWith('dist/'));
    const differing = built.filter((file) => !readFileSync(path.join(ROOT, file)).equals(readFileSync(path.join(installed(), file))));
    expect(differing).toEqual([]);
  });
});

describe('the installed package', () => {
  it('creates the example, serves it with its pages, and stores its data beside it', async () => {
    const place = emptyFolder('served');
    const address = await startServer(place, ['start', '--example']);
    const answer = await fetch(`${address}/api/v1/tools/count_words/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { text: 'the more the merrier', unique: true } }),
    });
    expect(await answer.json()).toMatchObject({ status: 'succeeded', result: { words: 3 } });
    const pages = ['/', '/tools', '/tools/count_words', '/extensions/words', '/calls', '/failures', '/channels/web', '/timeline'];
    for (const page of pages) expect([page, (await fetch(address + page)).status]).toEqual([page, 200]);
    const page = await (await fetch(`${address}/tools/count_words`)).text();
    expect(page).toContain('Count the words of a text.');
    for (const [, script = ''] of page.matchAll(/ src="(\/_next\/static\/[^"]+\.js)"/g))
      expect((await fetch(address + script)).status).toBe(200);
    expect((await fetch(`${address}/api/v1/openapi.json`)).status).toBe(200);
    expect(await (await fetch(`${address}/docs/errors`)).text()).toContain('syntax_error');
    expect(readFileSync(path.join(place, '.switchboard/.gitignore'), 'utf8')).toBe('*\n');
    expect(readdirSync(place).sort()).toEqual(['.switchboard', 'extensions']);
    expect(await stopServer()).toBe(0);
  });

  it('prints the next step in an empty folder without a terminal, and serves files that appear', async () => {
    const place = emptyFolder('empty');
    const address = await startServer(place, []);
    const { stderr } = await command(place, ['new', 'tool', 'count_lines']);
    expect(stderr).toContain('A server watching this folder loads it automatically.');
    await expect.poll(async () => (await fetch(`${address}/api/v1/tools/count_lines`)).status, { timeout: 10_000 }).toBe(200);
    await stopServer();
    expect(output).toContain('The folder extensions has no extensions yet. To create one, run `switchboard new tool count_lines`');
  });

  it('checks, calls, probes and tests extensions in TypeScript and Python', async () => {
    const place = emptyFolder('commands');
    await command(place, ['new', 'tools', 'recipes', '--python']);
    await command(place, ['new', 'tool', 'repeat_text']);
    writeFileSync(
      path.join(place, 'extensions/tools/repeat_text.test.ts'),
      `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadExtension } from 'switchboard/testing';
test('repeats', async () => {
  await using tool = await loadExtension(new URL('repeat_text.ts', import.meta.url));
  assert.equal(await tool.call('repeat_text', { text: 'a', times: 3 }), 'a a a');
});
`,
    );
    expect(JSON.parse((await command(place, ['check', '--json'])).stdout)).toMatchObject({ ok: true, failures: [] });
    expect((await command(place, ['call', '--alone', 'repeat_text', 'text=b'])).stdout).toContain('b b');
    expect((await command(place, ['probe', 'repeat_text', '--alone', '--runs', '5'])).stdout).toContain('repeat_text');
    expect((await command(place, ['test'])).stdout).toContain('pass 1');
  });
});

describe('the Node package', () => {
  it('is stripped of its headers at the first start', async () => {
    const node = path.join(modules, NODE);
    for (const name of ['bin/node', 'include/node/v8.h']) {
      mkdirSync(path.dirname(path.join(node, name)), { recursive: true });
      writeFileSync(path.join(node, name), '');
    }
    await command(emptyFolder('headers'), ['--version']);
    await expect.poll(() => readdirSync(node)).toEqual(['bin']);
    rmSync(node, { recursive: true });
  });
});

describe('npm', () => {
  it('runs the tarball in a bare folder', () => {
    const { checks } = z
      .object({ ok: z.boolean(), checks: z.array(z.object({ name: z.string(), message: z.string() })) })
      .parse(JSON.parse(report));
    expect(checks).toContainEqual(expect.objectContaining({ name: 'data', message: expect.stringContaining('bare/.switchboard') }));
    expect(readdirSync(path.join(folder, 'bare'))).toEqual([]);
  });

  it('installs the command for all folders', async () => {
    const prefix = path.join(folder, 'global');
    await npm(['install', '--global', '--prefix', prefix, packed.filename], folder, environment(index.environment));
    const place = emptyFolder('anywhere');
    const { stdout } = await run(path.join(prefix, 'bin/switchboard'), ['new', 'tool', 'count_lines'], {
      cwd: place,
      env: environment({}),
    });
    expect(stdout).toContain('count_lines');
    expect(readdirSync(place)).toContain('extensions');
  });
});

let output = '';

/** Resolves to the address of the server. */
async function startServer(place: string, args: readonly string[]): Promise<string> {
  output = '';
  const child = spawn(process.execPath, [programFile(), ...args], { cwd: place, env: environment({ PORT: '0', LOG_FORMAT: 'json' }) });
  server = child;
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const [, address] = /"address":"([^"]+)"/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}:\n${output}`)));
  });
}

async function stopServer(): Promise<number | null> {
  const child = server;
  server = null;
  if (child === null || child.exitCode !== null) return child?.exitCode ?? null;
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  await exited;
  return child.exitCode;
}

function command(cwd: string, args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return run(process.execPath, [programFile(), ...args], { cwd, env: environment({}) });
}

function programFile(): string {
  return path.join(modules, '.bin/switchboard');
}

function environment(more: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH = '' } = process.env;
  return { PATH, HOME: folder, NODE_ENV: 'test', ...more };
}

async function pack(): Promise<z.infer<typeof packedSchema>[0]> {
  const { stdout } = await npm(['pack', '--json', '--loglevel=error', '--pack-destination', folder], ROOT);
  return packedSchema.parse(JSON.parse(stdout.slice(stdout.indexOf('['))))[0];
}

function npm(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return run('npm', args, { cwd, env, maxBuffer: 16 * MIB });
}

function installed(): string {
  return path.join(modules, 'switchboard');
}

function emptyFolder(name: string): string {
  const place = path.join(folder, name);
  mkdirSync(place);
  return place;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
