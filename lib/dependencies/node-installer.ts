import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { InstalledPackage } from './declaration.ts';
import type { MadeFacts } from './environment-folder.ts';
import type { InstallFailure } from './explain-install.ts';
import type { MakeOptions, Resolved, Steps } from './make-environment.ts';
import { packagesOfLock } from './node-declaration.ts';
import { findOnPath } from './run-installer.ts';

/** `node_modules` by `npm`: `npm ci` with a lock file, else `npm install`; never with scripts. A lock is the text of a lock file. */
export async function makeNode(options: MakeOptions, steps: Steps): Promise<MadeFacts | InstallFailure | null> {
  const npm = await findNpm(options);
  if (typeof npm !== 'string') return npm;
  const lockFile = await writeLock(options);
  const version = await steps.printed(npm, '--version');
  if (!(await steps.run(npm, lockFile.isThere ? 'ci' : 'install', ...argumentsOf(options)).then(({ ok }) => ok))) return null;
  return {
    ecosystem: 'node',
    lock: await readFile(lockFile.path, 'utf8'),
    packages: await nodePackages(options.folder),
    installer: `npm ${version.trim()}`,
  };
}

/** What npm would choose, by its lock file. */
export async function resolveNode(options: MakeOptions, steps: Steps): Promise<Resolved | InstallFailure | null> {
  const npm = await findNpm(options);
  if (typeof npm !== 'string') return npm;
  const lockFile = await writeLock(options);
  if (!lockFile.isThere && !(await steps.run(npm, 'install', '--package-lock-only', ...argumentsOf(options))).ok) return null;
  const lock = await readFile(lockFile.path, 'utf8');
  return { lock, packages: packagesOfLock(lock) };
}

async function findNpm({ settings }: MakeOptions): Promise<string | InstallFailure> {
  const npm = await findOnPath(process.platform === 'win32' ? 'npm.cmd' : 'npm', settings.environment['PATH'] ?? '');
  return (
    npm ?? {
      message: 'npm is not installed on the server.',
      hint: 'Install npm so that it is on the PATH of the server; it comes with Node.',
    }
  );
}

async function writeLock({ declaration, folder, lock }: MakeOptions): Promise<{ readonly path: string; readonly isThere: boolean }> {
  const file = join(folder, 'package-lock.json');
  if (lock !== null) await writeFile(file, lock);
  return { path: file, isThere: lock !== null || 'package-lock.json' in declaration.files };
}

function argumentsOf({ folder, settings }: MakeOptions): readonly string[] {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--loglevel=http'];
  const only = ['--ignore-scripts', '--omit=dev', '--global=false', '--package-lock=true', `--prefix=${folder}`];
  // Packages of the index may themselves require what comes from elsewhere. Tarballs of an index may have another address than it.
  const elsewhere = ['--allow-git=none', '--allow-file=none', '--allow-directory=none'];
  return [...only, ...quiet, ...(settings.sources === 'any' ? [] : elsewhere)];
}

const hiddenLockSchema = z.object({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) });

/** From npm's own list of what it has installed. Only the version that extensions see, of a package in several versions. */
async function nodePackages(folder: string): Promise<readonly InstalledPackage[]> {
  const text = await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8').catch(() => null);
  const read = text === null ? null : hiddenLockSchema.safeParse(JSON.parse(text));
  const found = Object.entries(read?.data?.packages ?? {}).flatMap(([place, { version }]) =>
    version === undefined || place.lastIndexOf('node_modules/') !== 0 ? [] : [{ name: place.slice('node_modules/'.length), version }],
  );
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
