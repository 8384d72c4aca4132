import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LivingHost, must, refusal, startHost } from '#lib/testing/living-host.ts';
import { type LocalIndex, startLocalIndex } from '#lib/testing/local-index.ts';

const PATIENCE = { timeout: 100_000 };
const ADA = { name: 'Ada' };
const NEW = { update: false };

/** One tool that answers with the version of a module. */
const versionTool = (name: string, module: string, head = ''): string => `${head}
import shutil
import ${module}

def execute(ctx):
    return {"version": ${module}.VERSION, "program": shutil.which("name-colours")}

TOOL = {"label": "Version", "name": "${name}", "description": "Answers with a version.", "parameters": {}, "execute": execute}
`;

/** Replaces uv: prints its arguments and does the same with pip. */
const UV = `#!/bin/sh
echo "uv $*"
case "$1 $2" in
  "--version ") exec echo "uv 0.0.0 (stand-in)" ;;
  "venv "*) exec python3 -m venv --without-pip . ;;
  "pip compile") exec python3 -c '
import json, subprocess, sys
out = subprocess.run([sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-", "-r", "requirements.txt"], capture_output=True, text=True, check=True).stdout
with open("lock.txt", "w") as lock:
    for one in json.loads(out)["install"]:
        lock.write("%s==%s --hash=sha256:%s\\n" % (one["metadata"]["name"], one["metadata"]["version"], one["download_info"]["archive_info"]["hashes"]["sha256"]))
' ;;
  "pip sync") exec python3 -m pip --python "$4" install --quiet --no-deps --require-hashes -r lock.txt ;;
esac
`;

let index: LocalIndex;
let living: LivingHost | null = null;

beforeEach(async () => {
  index = await startLocalIndex();
  index.addWheel({ name: 'colour-base', version: '0.1', files: { 'colour_base.py': 'BASE = 1\n' } });
  for (const version of ['1.0', '2.0'])
    index.addWheel({
      name: 'colour-names',
      version,
      files: { 'colour_names.py': `import colour_base\nVERSION = "${version}"\ndef main(): print(VERSION)\n` },
      requires: ['colour-base'],
      scripts: { 'name-colours': 'colour_names:main' },
    });
});
afterEach(async () => {
  await living?.remove();
  living = null;
  await index.close();
});

const start = async (files: Readonly<Record<string, string>>, dependencies: 'auto' | 'ask' | 'off'): Promise<LivingHost> =>
  (living = await startHost(files, { dependencies, loadTimeoutMs: 60_000 }, null, index.environment));
const environmentsOf = async ({ host }: LivingHost): Promise<readonly string[]> =>
  (await readdir(path.join(host.config.dataDir, 'environments'))).filter((name) => name !== 'declared');

describe('a Python extension that declares packages', () => {
  it('waits for Install, and continues with its last good revision when a later install fails', { timeout: 300_000 }, async () => {
    const files = { 'x/extension.py': versionTool('x_version', 'colour_names'), 'x/requirements.txt': 'colour-names<2\n' };
    const { host, extension, call, save, reload } = await start(files, 'ask');
    expect(extension('x')).toMatchObject({
      state: 'failed',
      revision: 1,
      failure: { code: 'dependencies_missing', stage: 'start', file: 'x/requirements.txt', line: 1 },
    });
    expect(must(await host.extensions.dependencies('x'))).toMatchObject({
      state: 'missing',
      ecosystem: 'python',
      declared_in: 'x/requirements.txt',
      requirements: [{ name: 'colour-names', requirement: 'colour-names<2' }],
      environment: null,
    });
    expect(must(await host.extensions.previewInstall('x'))).toEqual({
      packages: [
        { name: 'colour-base', version: '0.1', download_bytes: index.sizeOf('colour_base-0.1-py3-none-any.whl') },
        { name: 'colour-names', version: '1.0', download_bytes: index.sizeOf('colour_names-1.0-py3-none-any.whl') },
      ],
      failure: null,
    });
    // The previewed versions are installed.
    index.addWheel({ name: 'colour-names', version: '1.1', files: { 'colour_names.py': 'VERSION = "1.1"\n' } });
    expect(must(await host.extensions.requestInstall('x', { name: 'An agent' }))).toMatchObject({
      state: 'missing',
      requested: { actor: 'An agent' },
      install: null,
    });
    expect(must(await host.extensions.install('x', NEW, ADA))).toMatchObject({ state: 'installing', requested: null });
    await vi.waitFor(() => expect(extension('x')?.state).toBe('ready'), PATIENCE);
    expect(extension('x')?.revision).toBe(1);
    expect(await call('x_version')).toMatchObject({ result: { version: '1.0' }, error: null });
    const after = must(await host.extensions.dependencies('x'));
    expect(after).toMatchObject({
      state: 'ready',
      environment: {
        packages: [
          { name: 'colour-base', version: '0.1' },
          { name: 'colour-names', version: '1.0' },
        ],
      },
      install: { state: 'succeeded', actor: 'Ada' },
    });
    expect(after.install?.output.join('\n')).toContain('colour-names');
    expect(must(await host.extensions.get('x')).revisions[0]?.packages).toEqual({ 'colour-base': '0.1', 'colour-names': '1.0' });

    await save({ 'x/requirements.txt': 'colour-names==3.0\n' });
    await vi.waitFor(() => expect(extension('x')).toMatchObject({ state: 'degraded', revision: 2, serving_revision: 1 }), PATIENCE);
    expect(must(await host.extensions.previewInstall('x'))).toMatchObject({
      packages: null,
      failure: { message: expect.stringContaining('No version matches') },
    });
    must(await host.extensions.install('x', NEW, ADA));
    await vi.waitFor(() => expect(extension('x')?.failure?.code).toBe('dependencies_failed'), PATIENCE);
    expect(extension('x')?.failure).toMatchObject({ file: 'x/requirements.txt' });
    expect(extension('x')?.failure?.message).toContain('No version matches');
    expect(extension('x')?.failure?.output).toContain('No matching distribution');
    expect(await call('x_version')).toMatchObject({ result: { version: '1.0' } });
    // A reload does not install anything.
    await reload(['x']);
    expect(extension('x')?.failure?.code).toBe('dependencies_failed');
    await save({ 'x/requirements.txt': 'colour-names<2\n' });
    await vi.waitFor(() => expect(extension('x')).toMatchObject({ state: 'ready', serving_revision: 1 }), PATIENCE);
  });

  it('installs two versions of a package for two extensions, once per set, and rolls back between sets', { timeout: 300_000 }, async () => {
    const script = (requirement: string): string =>
      `# /// script\n# dependencies = ["${requirement}"]\n# requires-python = ">=3.8"\n# ///\n`;
    const { host, extension, call, save } = await start(
      {
        'one/extension.py': versionTool('one_version', 'colour_names', script('colour-names==1.0')),
        'two/extension.py': versionTool('two_version', 'colour_names'),
        'two/pyproject.toml': '[project]\nname = "two"\ndependencies = ["Colour_Names >= 2"]\n',
        'three/extension.py': versionTool('three_version', 'colour_names', script('colour-names==1.0')),
      },
      'auto',
    );
    for (const id of ['one', 'two', 'three']) await vi.waitFor(() => expect(extension(id)?.state).toBe('ready'), PATIENCE);
    expect((await call('one_version')).result).toMatchObject({ version: '1.0' });
    const two = (await call('two_version')).result;
    expect(two).toMatchObject({ version: '2.0' });
    expect((await call('three_version')).result).toMatchObject({ version: '1.0' });
    expect(await environmentsOf(living!)).toHaveLength(2);
    expect(JSON.stringify(two)).toContain(`${host.config.dataDir}/environments/`);

    await save({ 'one/extension.py': versionTool('one_version', 'colour_names', script('colour-names==2.0')) });
    await vi.waitFor(() => expect(extension('one')).toMatchObject({ state: 'ready', serving_revision: 2 }), PATIENCE);
    expect((await call('one_version')).result).toMatchObject({ version: '2.0' });
    must(await host.extensions.rollback('one', 1, ADA));
    expect((await call('one_version')).result).toMatchObject({ version: '1.0' });

    index.addWheel({ name: 'colour-names', version: '2.1', files: { 'colour_names.py': 'VERSION = "2.1"\n' } });
    must(await host.extensions.install('two', { update: true }, ADA));
    await vi.waitFor(() => expect(extension('two')).toMatchObject({ state: 'ready', serving_revision: 2 }), PATIENCE);
    expect((await call('two_version')).result).toMatchObject({ version: '2.1' });
    must(await host.extensions.rollback('two', 1, ADA));
    expect((await call('two_version')).result).toMatchObject({ version: '2.0' });
    living = await living!.restart();
    await vi.waitFor(() => expect(living?.extension('two')?.state).not.toBe('loading'), PATIENCE);
    expect((await living.call('two_version')).result).toMatchObject({ version: '2.0' });
  });

  it('names the package of an import that nothing declares, and adds it', async () => {
    const { host, extension } = await start({ 'x/extension.py': versionTool('x_version', 'colour_names') }, 'ask');
    expect(extension('x')?.failure).toMatchObject({ code: 'import_unresolved' });
    expect(extension('x')?.failure?.hint).toContain('add `colour-names` to x/requirements.txt');
    expect(must(await host.extensions.dependencies('x')).undeclared).toEqual({
      package: 'colour-names',
      file: 'x/requirements.txt',
      line: 'colour-names',
    });
    expect(refusal(await host.extensions.declarePackage('x', 'other', ADA)).code).toBe('state_conflict');
    expect(must(await host.extensions.declarePackage('x', 'colour-names', ADA))).toMatchObject({ state: 'missing', undeclared: null });
    expect(extension('x')?.failure).toMatchObject({ code: 'dependencies_missing', file: 'x/requirements.txt' });
  });

  it('uses uv when it is on the path: locks with hashes, and selects a Python', async () => {
    const place = await mkdtemp(path.join(tmpdir(), 'uv-'));
    onTestFinished(() => rm(place, { recursive: true }));
    await writeFile(path.join(place, 'uv'), UV, { mode: 0o755 });
    const PATH = `${place}:${process.env['PATH']}`;
    const head = '# /// script\n# dependencies = ["colour-names<2"]\n# requires-python = "<3.0"\n# ///\n';
    const { host, extension, call } = (living = await startHost(
      { 'x/extension.py': versionTool('x_version', 'colour_names', head) },
      { dependencies: 'auto' },
      null,
      { ...index.environment, PATH },
    ));
    await vi.waitFor(() => expect(extension('x')).toMatchObject({ state: 'ready', failure: null }), PATIENCE);
    expect((await call('x_version')).result).toMatchObject({ version: '1.0' });
    const { environment, install } = must(await host.extensions.dependencies('x'));
    expect(environment).toMatchObject({
      installer: 'uv 0.0.0',
      packages: [{ name: 'colour-base' }, { name: 'colour-names', version: '1.0' }],
    });
    const printed = install?.output.join('\n') ?? '';
    // The server's Python is outside the range: uv selects another installed one, without a download.
    expect(printed).toContain('venv --relocatable --no-project --allow-existing --python <3.0 --no-python-downloads .');
    expect(printed).toMatch(/pip compile .*--generate-hashes --only-binary :all:/);
    expect(printed).toMatch(/pip sync .*--require-hashes --only-binary :all:/);
  });

  it.each([
    ['requirements that exclude each other', 'colour-mix\ncolour-base==0.1\n', 'contradict each other'],
    ['a package that is not built for this system', 'colour-native\n', 'none that is built for this Python and system'],
    ['a hash that differs', `colour-base==0.1 --hash=sha256:${'0'.repeat(64)}\n`, 'does not have the expected hash'],
  ])('explains %s', async (_what, requirements, message) => {
    index.addWheel({ name: 'colour-mix', version: '1.0', files: { 'colour_mix.py': '' }, requires: ['colour-base<0.1'] });
    index.addWheel({ name: 'colour-native', version: '1.0', files: { 'colour_native.py': '' }, tags: 'cp27-cp27m-win32' });
    const { extension } = await start(
      { 'x/extension.py': versionTool('x_version', 'colour_base'), 'x/requirements.txt': requirements },
      'auto',
    );
    await vi.waitFor(() => expect(extension('x')?.failure?.code).toBe('dependencies_failed'), PATIENCE);
    expect(extension('x')?.failure?.message).toContain(message);
  });

  it('cancels an install, and removes its files', async () => {
    const files = { 'x/extension.py': versionTool('x_version', 'colour_names'), 'x/requirements.txt': 'colour-names\n' };
    const { host } = await start(files, 'ask');
    const go = index.pause();
    must(await host.extensions.install('x', NEW, ADA));
    await vi.waitFor(() => expect(index.requested).not.toEqual([]), PATIENCE);
    expect(must(await host.extensions.cancelInstall('x'))).toMatchObject({ state: 'missing', install: { state: 'cancelled' } });
    go();
    expect(await environmentsOf(living!)).toEqual([]);
    expect(refusal(await host.extensions.cancelInstall('x')).code).toBe('state_conflict');
  });

  it('installs nothing when installs are off, and refuses options and URLs in a declaration', async () => {
    const { host, extension } = await start(
      {
        'x/extension.py': versionTool('x_version', 'colour_names'),
        'x/requirements.txt': 'colour-names\n',
        'y/extension.py': versionTool('y_version', 'colour_names'),
        'y/requirements.txt': '# fine\ncolour-names\n--index-url=https://elsewhere.example/simple\n',
        'z/extension.py': versionTool(
          'z_version',
          'colour_names',
          '# /// script\n# dependencies = [\n#   "colour-names @ git+https://elsewhere.example/x",\n# ]\n# ///\n',
        ),
      },
      'off',
    );
    expect(extension('x')?.failure).toMatchObject({ code: 'dependencies_missing' });
    expect(extension('x')?.failure?.hint).toContain('EXTENSION_DEPENDENCIES');
    for (const refused of [
      await host.extensions.install('x', NEW, ADA),
      await host.extensions.requestInstall('x', ADA),
      await host.extensions.previewInstall('x'),
    ])
      expect(refusal(refused).code).toBe('state_conflict');
    expect(extension('y')?.failure).toMatchObject({ code: 'dependencies_failed', file: 'y/requirements.txt', line: 3 });
    expect(extension('z')?.failure).toMatchObject({ code: 'dependencies_failed', file: 'z/extension.py', line: 3 });
    expect(must(await host.extensions.dependencies('y')).state).toBe('invalid');
    expect(index.requested).toEqual([]);
  });
});
