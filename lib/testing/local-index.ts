import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import * as z from 'zod';

/**
 * A package index on loopback with packages that the test writes: Python wheels with PEP 503 pages, npm tarballs with registry
 * documents.
 */
export interface LocalIndex {
  readonly url: string;
  /** Settings of installers that use only this index. */
  readonly environment: Readonly<Record<string, string>>;
  addWheel(wheel: Wheel): void;
  addTarball(tarball: Tarball): void;
  /** Adds the package installed in this folder, with its dependencies. */
  addInstalled(folder: string): void;
  /** Integrity of a tarball, as in lock files. */
  integrity(name: string, version: string): string;
  /** All requested paths. */
  readonly requested: string[];
  /** Length of a file, by its name. */
  sizeOf(file: string): number;
  /** Sends no responses until the returned function is called. */
  pause(): () => void;
  /** Serves bytes that differ from the announced hash. */
  corrupt(): void;
  close(): Promise<void>;
}

export interface Wheel {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
  readonly requires?: readonly string[];
  readonly requiresPython?: string;
  /** Console scripts: name → `module:function`. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** Tags in the file name, `py3-none-any` by default. */
  readonly tags?: string;
}

export interface Tarball {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

interface Served {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly bytes: Buffer;
  readonly requiresPython: string | undefined;
  readonly manifest: Readonly<Record<string, unknown>>;
}

export async function startLocalIndex(): Promise<LocalIndex> {
  const wheels: Served[] = [];
  const tarballs: Served[] = [];
  const requested: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  let isCorrupt = false;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/');
    requested.push(path);
    void gate.then(() => {
      const answer = respond(path);
      if (answer === null) return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
      const length = Buffer.byteLength(answer.body);
      return response.writeHead(200, { 'content-type': answer.type, 'content-length': length }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${address.port}`;

  function respond(path: string): { readonly type: string; readonly body: Buffer | string } | null {
    const [, file] = /^\/files\/(.+)$/.exec(path) ?? [];
    if (file !== undefined) {
      const found = [...wheels, ...tarballs].find((one) => one.file === file);
      if (found === undefined) return null;
      return { type: 'application/octet-stream', body: isCorrupt ? Buffer.concat([found.bytes, Buffer.from('x')]) : found.bytes };
    }
    const [, simple] = /^\/simple\/([^/]+)\/$/.exec(path) ?? [];
    if (simple !== undefined) {
      const own = wheels.filter(({ name }) => plain(name) === simple);
      if (own.length === 0) return null;
      const links = own.map(({ file: name, bytes, requiresPython }) => {
        const python =
          requiresPython === undefined ? '' : ` data-requires-python="${requiresPython.replaceAll('>', '&gt;').replaceAll('<', '&lt;')}"`;
        return `<a href="/files/${name}#sha256=${hex(bytes, 'sha256')}"${python}>${name}</a>`;
      });
      return { type: 'text/html', body: `<!DOCTYPE html><html><body>${links.join('\n')}</body></html>` };
    }
    const name = path.replace(/^\/npm\//, '');
    const own = tarballs.filter((one) => one.name === name);
    if (own.length === 0) return null;
    const versions = Object.fromEntries(
      own.map(({ version, file: tarball, bytes, manifest }) => [
        version,
        {
          ...manifest,
          dist: {
            tarball: `${url}/files/${tarball}`,
            shasum: hex(bytes, 'sha1'),
            integrity: integrityOf(bytes),
          },
        },
      ]),
    );
    return { type: 'application/json', body: JSON.stringify({ name, 'dist-tags': { latest: own.at(-1)?.version }, versions }) };
  }

  return {
    url,
    environment: {
      PIP_INDEX_URL: `${url}/simple/`,
      PIP_CONFIG_FILE: '/dev/null',
      PIP_NO_CACHE_DIR: '1',
      PIP_RETRIES: '0',
      UV_INDEX_URL: `${url}/simple/`,
      npm_config_registry: `${url}/npm/`,
      npm_config_fetch_retries: '0',
    },
    requested,
    sizeOf: (file) => [...wheels, ...tarballs].find((one) => one.file === file)?.bytes.length ?? 0,
    integrity: (name, version) =>
      integrityOf(tarballs.find((one) => one.name === name && one.version === version)?.bytes ?? Buffer.alloc(0)),
    addWheel: (wheel) => void wheels.push(wheelOf(wheel)),
    addTarball: (tarball) => void tarballs.push(tarballOf(tarball)),
    addInstalled: (folder) => void tarballs.push(...[...installedWith(folder)].map((each) => tarballOf(packageIn(each)))),
    pause() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    corrupt: () => void (isCorrupt = true),
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}

function hex(bytes: Uint8Array, algorithm: string): string {
  return createHash(algorithm).update(bytes).digest('hex');
}

function wheelOf({ name, version, files, requires = [], requiresPython, scripts = {}, tags = 'py3-none-any' }: Wheel): Served {
  const stem = `${name.replaceAll('-', '_')}-${version}`;
  const info = `${stem}.dist-info`;
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${name}`,
    `Version: ${version}`,
    ...(requiresPython === undefined ? [] : [`Requires-Python: ${requiresPython}`]),
    ...requires.map((one) => `Requires-Dist: ${one}`),
  ];
  const entries = Object.entries(scripts).map(([script, target]) => `${script} = ${target}`);
  const content = {
    ...files,
    [`${info}/METADATA`]: `${metadata.join('\n')}\n`,
    [`${info}/WHEEL`]: `Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: ${tags}\n`,
    ...(entries.length === 0 ? {} : { [`${info}/entry_points.txt`]: `[console_scripts]\n${entries.join('\n')}\n` }),
  };
  const record = `${[...Object.keys(content), `${info}/RECORD`].map((file) => `${file},,`).join('\n')}\n`;
  const bytes = zipOf({ ...content, [`${info}/RECORD`]: record });
  return { name, version, file: `${stem}-${tags}.whl`, bytes, requiresPython, manifest: {} };
}

/** Without compression. */
function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text);
    const path = Buffer.from(name);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(0x21, 8);
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), shared, path, data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(0o644 * 65_536, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), shared, rest, path]));
    parts.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).optional(),
});

function manifestIn(folder: string): z.infer<typeof manifestSchema> {
  return manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
}

function installedWith(folder: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(folder)) return found;
  found.add(folder);
  for (const name of Object.keys(manifestIn(folder).dependencies ?? {})) {
    let above = folder;
    while (!existsSync(join(above, 'node_modules', name, 'package.json'))) above = dirname(above);
    installedWith(join(above, 'node_modules', name), found);
  }
  return found;
}

function packageIn(folder: string): Tarball {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = files.map(({ parentPath, name }) => join(parentPath, name)).map((file) => [relative(folder, file), file] as const);
  const own = contents.filter(([name]) => !name.startsWith('node_modules'));
  const manifest = manifestIn(folder);
  return {
    name: manifest.name,
    version: manifest.version,
    files: Object.fromEntries(own.map(([name, file]) => [name, readFileSync(file)])),
    manifest,
  };
}

function tarballOf({ name, version, files, manifest = {} }: Tarball): Served {
  const own = { name, version, ...manifest };
  const content: Tarball['files'] = { 'package.json': JSON.stringify(own), ...files };
  const blocks = Object.entries(content).flatMap(([file, text]) => {
    const data = typeof text === 'string' ? Buffer.from(text) : text;
    const header = Buffer.alloc(512);
    header.write(`package/${file}`, 0, 'latin1');
    header.write('0000755\0', 100, 'latin1');
    header.write('0000000\0', 108, 'latin1');
    header.write('0000000\0', 116, 'latin1');
    header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
    header.write('00000000000\0', 136, 'latin1');
    header.write('        0', 148, 'latin1');
    header.write('ustar\u000000', 257, 'latin1');
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
  });
  const bytes = gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)]));
  const file = `${name.replaceAll('@', '').replaceAll('/', '-')}-${version}.tgz`;
  return { name, version, file, bytes, requiresPython: undefined, manifest: own };
}
