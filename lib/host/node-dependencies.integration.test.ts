import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';
import { type LocalIndex, startLocalIndex } from '#lib/testing/local-index.ts';
import { sharedPostgres } from '#lib/testing/test-database.ts';

const PATIENCE = { timeout: 60_000 };
const ADA = { name: 'Ada' };

const versionTool = (name: string): string => `import { version } from 'colour-names';
import { shade } from '../_lib/shade.ts';
export const TOOL = {
  label: 'Version', name: '${name}', description: 'Answers with a version.', parameters: {},
  execute: () => ({ version, shade }),
};
`;
const manifest = (range: string): string =>
  JSON.stringify({ name: 'x', scripts: { preinstall: 'exit 1' }, dependencies: { 'colour-names': range } });

let index: LocalIndex;
let living: LivingHost | null = null;

beforeEach(async () => {
  index = await startLocalIndex();
  for (const version of ['1.0.0', '1.1.0', '2.0.0'])
    index.addTarball({
      name: 'colour-names',
      version,
      files: { 'index.js': `exports.version = '${version}';`, 'server.mjs': SERVER },
      manifest: { main: 'index.js', scripts: { install: 'exit 1' }, bin: { 'colour-server': 'server.mjs' } },
    });
});
afterEach(async () => {
  await living?.remove();
  living = null;
  await index.close();
});

const start = async (files: Readonly<Record<string, string>>, dependencies: 'auto' | 'ask'): Promise<LivingHost> =>
  (living = await startHost(files, { dependencies, loadTimeoutMs: 60_000 }, null, index.environment));

/** An MCP server without packages. */
const SERVER = `#!/usr/bin/env node
import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const send = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize') send({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'colours', version: '1' } });
  else if (method === 'tools/list') send({ tools: [{ name: 'name_colour', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') send({ content: [{ type: 'text', text: 'red' }] });
  else if (id !== undefined) send({});
});
`;

describe('a Node extension that declares packages', () => {
  it('gets its packages with and without a lock file, beside another version, and for an MCP server', async () => {
    const { host, extension, call, save } = await start(
      {
        'one/extension.ts': versionTool('one_version'),
        'one/package.json': manifest('^1.0.0'),
        'two/extension.ts': versionTool('two_version'),
        'two/package.json': manifest('2.0.0'),
        'colours/mcp.json': '{"command": "colour-server", "args": []}',
        'colours/package.json': manifest('2.0.0'),
        '_lib/shade.ts': `import { version } from 'colour-names'; export const shade = 'of ' + version;`,
      },
      'ask',
    );
    expect(extension('one')).toMatchObject({ revision: 1, failure: { code: 'dependencies_missing', file: 'one/package.json' } });
    must(await host.extensions.install('one', { update: false }, ADA));
    must(await host.extensions.install('two', { update: false }, ADA));
    for (const id of ['one', 'two']) await vi.waitFor(() => expect(extension(id)?.state).toBe('ready'), PATIENCE);
    // A set is installed for all extensions that declare it.
    await vi.waitFor(() => expect(extension('colours')).toMatchObject({ state: 'ready', failure: null }), { timeout: 20_000 });
    expect(extension('one')?.revision).toBe(1);
    expect((await call('one_version')).result).toEqual({ version: '1.1.0', shade: 'of 1.1.0' });
    expect((await call('two_version')).result).toEqual({ version: '2.0.0', shade: 'of 2.0.0' });
    expect(await call('colours__name_colour')).toMatchObject({ status: 'succeeded' });
    expect(must(await host.extensions.get('one')).revisions[0]?.packages).toEqual({ 'colour-names': '1.1.0' });

    const integrity = index.integrity('colour-names', '1.0.0');
    const lock = {
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { 'colour-names': '^1.0.0' } },
        'node_modules/colour-names': {
          version: '1.0.0',
          resolved: `${index.url}/files/colour-names-1.0.0.tgz`,
          integrity,
          hasInstallScript: true,
        },
      },
    };
    await save({ 'one/package-lock.json': JSON.stringify(lock) });
    await vi.waitFor(() => expect(extension('one')).toMatchObject({ revision: 2, failure: { code: 'dependencies_missing' } }), PATIENCE);
    expect(must(await host.extensions.dependencies('one')).locked).toEqual([{ name: 'colour-names', version: '1.0.0' }]);
    expect(must(await host.extensions.previewInstall('one')).packages).toEqual([
      { name: 'colour-names', version: '1.0.0', download_bytes: index.sizeOf('colour-names-1.0.0.tgz') },
    ]);
    must(await host.extensions.install('one', { update: false }, ADA));
    await vi.waitFor(() => expect(extension('one')).toMatchObject({ state: 'ready', serving_revision: 2 }), PATIENCE);
    expect((await call('one_version')).result).toEqual({ version: '1.0.0', shade: 'of 1.0.0' });
    must(await host.extensions.rollback('one', 1, ADA));
    expect((await call('one_version')).result).toEqual({ version: '1.1.0', shade: 'of 1.1.0' });
  });

  it.each([
    ['a version that is not there', '^9.0.0', 'no version that matches', async () => undefined],
    ['another file than announced', '1.0.0', 'does not have the expected hash', async () => index.corrupt()],
    ['an index that is down', '1.0.0', 'cannot be reached', () => index.close()],
  ])('explains %s', async (_what, range, message, before) => {
    await before();
    const { extension, call } = await start(
      { 'x/extension.ts': versionTool('x_version'), 'x/package.json': manifest(range), '_lib/shade.ts': 'export const shade = 1;' },
      'auto',
    );
    await vi.waitFor(() => expect(extension('x')?.failure?.code).toBe('dependencies_failed'), PATIENCE);
    expect(extension('x')?.failure?.message).toContain(message);
    expect(extension('x')?.failure?.output).not.toBeNull();
    await expect(call('x_version')).rejects.toThrow('tool_not_found');
  });

  it('previews versions without a lock file, and installs the previewed versions', async () => {
    const files = {
      'x/extension.ts': versionTool('x_version'),
      'x/package.json': manifest('^1.0.0'),
      '_lib/shade.ts': 'export const shade = 1;',
    };
    // The registry of the user of the server.
    const { npm_config_registry: registry = '', ...environment } = index.environment;
    living = await startHost(files, { dependencies: 'ask', loadTimeoutMs: 60_000 }, null, environment);
    const { host, extension, call, folder } = living;
    await writeFile(path.join(folder, '.npmrc'), `registry=${registry}\n`);
    expect(must(await host.extensions.previewInstall('x')).packages).toMatchObject([{ name: 'colour-names', version: '1.1.0' }]);
    index.addTarball({ name: 'colour-names', version: '1.2.0', files: {} });
    must(await host.extensions.install('x', { update: false }, ADA));
    await vi.waitFor(() => expect(extension('x')).toMatchObject({ state: 'ready', failure: null }), PATIENCE);
    expect((await call('x_version')).result).toMatchObject({ version: '1.1.0' });
  });

  it('loads native add-ons only with permission', async () => {
    // A real one, of a package that is here.
    const native = createRequire(createRequire(import.meta.url).resolve('oxc-parser')).resolve(
      `@oxc-parser/binding-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`,
    );
    index.addTarball({
      name: 'colour-parser',
      version: '1.0.0',
      files: { 'index.js': "exports.parse = require('./parser.node').parseSync;", 'parser.node': await readFile(native) },
      manifest: { main: 'index.js' },
    });
    const source = (name: string): string => `import { parse } from 'colour-parser';
export const TOOL = { label: 'Parse', name: '${name}', description: 'Parses.', parameters: {}, execute: () => typeof parse };
`;
    const declaration = JSON.stringify({ dependencies: { 'colour-parser': '*' } });
    const { extension, call } = (living = await startHost(
      {
        'x/extension.ts': source('parse_x'),
        'x/package.json': declaration,
        'y/extension.ts': source('parse_y'),
        'y/package.json': declaration,
      },
      { dependencies: 'auto', loadTimeoutMs: 60_000, extensionAllow: [{ extension: 'x', permission: 'addons' }] },
      null,
      index.environment,
    ));
    await vi.waitFor(() => expect(extension('x')).toMatchObject({ state: 'ready', failure: null }), PATIENCE);
    expect((await call('parse_x')).result).toBe('function');
    await vi.waitFor(() => expect(extension('y')?.failure?.message).toContain('EXTENSION_ALLOW=y:addons'), PATIENCE);
  });

  it('is installed on every instance when a person installs it on one', async () => {
    const postgres = await sharedPostgres();
    onTestFinished(() => postgres.close());
    const database = { url: await postgres.createDatabase(), connections: 5, statementMs: 5_000, startMs: 0 };
    const files = {
      'x/extension.ts': versionTool('x_version').replace('../_lib', './_lib'),
      'x/package.json': manifest('^1.0.0'),
      'x/_lib/shade.ts': 'export const shade = 1;',
    };
    const hosts = [];
    for (const _ of [1, 2]) {
      const made = await startHost(files, { dependencies: 'ask', database, loadTimeoutMs: 60_000 }, null, index.environment);
      onTestFinished(() => made.remove());
      hosts.push(made);
    }
    const [first, second] = hosts;
    for (const { extension } of hosts) expect(extension('x')?.failure?.code).toBe('dependencies_missing');
    must(await second!.host.extensions.requestInstall('x', { name: 'An agent' }));
    await vi.waitFor(async () => expect(must(await first!.host.extensions.dependencies('x')).requested?.actor).toBe('An agent'), PATIENCE);
    must(await first!.host.extensions.install('x', { update: false }, ADA));
    for (const { extension, call } of hosts) {
      await vi.waitFor(() => expect(extension('x')).toMatchObject({ state: 'ready', failure: null }), PATIENCE);
      expect((await call('x_version')).result).toMatchObject({ version: '1.1.0' });
    }
    expect(must(await second!.host.extensions.dependencies('x'))).toMatchObject({ requested: null, install: { actor: 'Ada' } });
  });

  it('uses matching packages in its folder or above, and the existing ones when it declares none', async () => {
    const own = {
      'node_modules/colour-names/package.json': '{"name":"colour-names","version":"0.5.0","main":"index.js"}',
      'node_modules/colour-names/index.js': `exports.version = '0.5.0';`,
    };
    const { host, extension, call } = await start(
      {
        'x/extension.ts': versionTool('x_version').replace('../_lib', './_lib'),
        'x/package.json': manifest('^0.5.0'),
        'x/_lib/shade.ts': 'export const shade = 1;',
        ...Object.fromEntries(Object.entries(own).map(([name, text]) => [`x/${name}`, text])),
        'y/extension.ts': versionTool('y_version').replace('../_lib', './_lib'),
        'y/package.json': '{"type": "module"}',
        'z/extension.ts': versionTool('z_version').replace('../_lib', '../x/_lib'),
        'z/package.json': manifest('^0.6.0'),
        'w/extension.ts': versionTool('w_version').replace('../_lib', '../x/_lib'),
        'w/package.json': manifest('workspace:*'),
        'y/_lib/shade.ts': 'export const shade = 2;',
        ...Object.fromEntries(Object.entries(own).map(([name, text]) => [`y/${name}`, text])),
        ...Object.fromEntries(Object.entries(own).map(([name, text]) => [name, text.replaceAll('0.5.0', '0.5.1')])),
      },
      'ask',
    );
    for (const id of ['x', 'y', 'w']) expect(extension(id)).toMatchObject({ state: 'ready', failure: null });
    expect(extension('z')?.failure).toMatchObject({ code: 'dependencies_missing' });
    expect((await call('w_version')).result).toMatchObject({ version: '0.5.1' });
    expect((await call('x_version')).result).toEqual({ version: '0.5.0', shade: 1 });
    expect(must(await host.extensions.dependencies('x')).state).toBe('own');
    expect(must(await host.extensions.dependencies('y')).state).toBe('none');
    expect(index.requested).toEqual([]);
  });
});
