import { randomUUID } from 'node:crypto';
import { access, lstat, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeAtomically } from '#lib/loader/write-atomically.ts';
import { claimFile } from '#lib/store/sqlite/folder-claim.ts';
import { type Ecosystem, hashOf, type InstalledPackage } from './declaration.ts';

/**
 * `DATA_DIR/environments`: one folder per set of locked dependencies, and one file per declaration that names its set.
 *
 *     <environment>/                 created by an installer; extensions read it and never write it
 *     declared/<declaration>.json    {environment, lock, updates}
 *     declared/<declaration>.lock    locked by the host that installs it
 *     .making-<declaration>/         an install in progress
 *
 * What can go wrong: the host dies during an install (its lock ends with it, and the next host removes the folder); another host
 * installs the same declaration (`begin` returns null); two declarations produce the same environment at once (the first rename wins,
 * and both use it); an environment loses its interpreter (it counts as missing and is rebuilt from its lock).
 */
export interface Environment {
  readonly id: string;
  readonly folder: string;
  readonly ecosystem: Ecosystem;
  readonly packages: readonly InstalledPackage[];
  /** Name and version of the installer that created it. */
  readonly installer: string;
  readonly madeAt: string;
}

/** The latest resolved versions of the declaration; stored longer than its environment. */
export interface DeclaredSet {
  readonly environment: string;
  readonly lock: string;
  /** How often its versions were updated. */
  readonly updates: number;
}

export interface EnvironmentFolder {
  readonly root: string;
  /** The environment of this declaration; null when it is missing or damaged. */
  ready(key: string): Promise<{ readonly environment: Environment; readonly updates: number } | null>;
  get(id: string): Promise<Environment | null>;
  declared(key: string): Promise<DeclaredSet | null>;
  /** An empty folder for an install of this declaration, locked until `end`. Null: another host installs it. */
  begin(key: string): Promise<PendingInstall | null>;
  /** Renames a finished folder into place. */
  publish(made: string, key: string, facts: EnvironmentFacts, platform: readonly string[]): Promise<Environment>;
  /** Removes environments that are not in `kept` and have not been used for `unusedMs`. @returns the number removed */
  sweep(kept: ReadonlySet<string>, unusedMs: number, now?: number): Promise<number>;
}

export interface PendingInstall {
  readonly folder: string;
  /** Removes the folder unless it was published. */
  end(): Promise<void>;
}

export interface EnvironmentFacts {
  readonly ecosystem: Ecosystem;
  readonly lock: string;
  readonly packages: readonly InstalledPackage[];
  readonly installer: string;
}

const packageSchema = z.object({ name: z.string(), version: z.string() });
const recordSchema = z.object({
  ecosystem: z.enum(['python', 'node']),
  packages: z.array(packageSchema),
  installer: z.string(),
  made_at: z.string(),
});
const declaredSchema = z.object({ environment: z.string().regex(/^[0-9a-f]{32}$/), lock: z.string(), updates: z.number().int() });

const RECORD = 'environment.json';
const DECLARED = 'declared';
const MAKING = '.making-';
const REMOVED = '.removed-';
const ID = /^[0-9a-f]{32}$/;
/** The modification time of its record is the time of its last use. */
const NOTED_MS = 3_600_000;
const SCRIPT_BYTES_MOST = 65_536;
/** A lock is stored longer than its environment: it is small, and reproduces the same environment. */
const LOCK_TIMES = 12;

export async function openEnvironmentFolder(root: string): Promise<EnvironmentFolder> {
  await mkdir(join(root, DECLARED), { recursive: true });
  await removeAbandoned();

  async function begin(key: string): Promise<PendingInstall | null> {
    const locked = claimFile(join(root, DECLARED, `${key}.lock`));
    if (!locked.ok && locked.isTaken) return null;
    if (!locked.ok) throw new Error(locked.reason);
    const folder = join(root, `${MAKING}${key}`);
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
    const end = (): Promise<void> => remove().finally(() => locked.claim.release());
    try {
      // Possibly left by a dead host.
      await remove();
      await mkdir(folder);
    } catch (error) {
      locked.claim.release();
      throw error;
    }
    return { folder, end };
  }

  /** Folders that dead hosts were installing or removing. */
  async function removeAbandoned(): Promise<void> {
    for (const name of await readdir(root)) {
      if (name.startsWith(REMOVED)) await rm(join(root, name), { recursive: true, force: true });
      if (name.startsWith(MAKING)) await (await begin(name.slice(MAKING.length)))?.end();
    }
  }

  /** Renamed first, so that a host that dies here leaves no half-removed environment. */
  async function removeWhole(folder: string): Promise<void> {
    const aside = join(root, `${REMOVED}${randomUUID()}`);
    await rename(folder, aside);
    await rm(aside, { recursive: true, force: true });
  }

  async function get(id: string): Promise<Environment | null> {
    if (!ID.test(id)) return null;
    const folder = join(root, id);
    const record = await readJson(join(folder, RECORD), recordSchema);
    if (record === null || !(await isComplete(folder, record.ecosystem))) return null;
    const { ecosystem, packages, installer, made_at: madeAt } = record;
    return { id, folder, ecosystem, packages, installer, madeAt };
  }

  const declared = (key: string): Promise<DeclaredSet | null> => readJson(join(root, DECLARED, `${key}.json`), declaredSchema);

  return {
    root,
    get,
    declared,
    async ready(key) {
      const set = await declared(key);
      const environment = set === null ? null : await get(set.environment);
      if (set === null || environment === null) return null;
      await noteUse(join(environment.folder, RECORD));
      return { environment, updates: set.updates };
    },
    begin,
    async publish(made, key, { ecosystem, lock, packages, installer }, platform) {
      const id = hashOf([ecosystem, lock, platform]);
      const folder = join(root, id);
      const madeAt = new Date().toISOString();
      await writeAtomically(join(made, RECORD), JSON.stringify({ ecosystem, packages, installer, made_at: madeAt }));
      if ((await get(id)) === null) {
        await moveScripts(made, folder);
        // A damaged environment is replaced; a complete one of another host stays.
        await removeWhole(folder).catch(() => undefined);
        await rename(made, folder).catch(async (error: unknown) => {
          if ((await get(id)) === null) throw error;
        });
      }
      const before = await declared(key);
      const isOther = before !== null && before.environment !== id;
      const set: DeclaredSet = { environment: id, lock, updates: (before?.updates ?? 0) + (isOther ? 1 : 0) };
      await writeAtomically(join(root, DECLARED, `${key}.json`), JSON.stringify(set));
      return { id, folder, ecosystem, packages, installer, madeAt };
    },
    async sweep(kept, unusedMs, now = Date.now()) {
      const names = (await readdir(root)).filter((name) => ID.test(name) && !kept.has(name));
      let removed = 0;
      for (const name of names) {
        const used = await stat(join(root, name, RECORD)).catch(() => null);
        if (used !== null && now - used.mtimeMs < unusedMs) continue;
        await removeWhole(join(root, name));
        removed += 1;
      }
      for (const name of await readdir(join(root, DECLARED))) {
        const file = join(root, DECLARED, name);
        const set = await readJson(file, declaredSchema);
        const facts = await stat(file).catch(() => null);
        if (facts === null || (set !== null && (await get(set.environment)) !== null)) continue;
        if (now - facts.mtimeMs > LOCK_TIMES * unusedMs) await rm(file, { force: true });
      }
      return removed;
    },
  };
}

async function isComplete(folder: string, ecosystem: Ecosystem): Promise<boolean> {
  return access(ecosystem === 'python' ? pythonOf(folder) : join(folder, 'node_modules')).then(
    () => true,
    () => false,
  );
}

/** The interpreter of an environment, or of a `.venv`. */
export function pythonOf(folder: string): string {
  return process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
}

/** The first lines of scripts in a virtual environment name its interpreter by its full path. */
async function moveScripts(from: string, to: string): Promise<void> {
  const folder = join(from, 'bin');
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    const facts = await lstat(file);
    if (!facts.isFile() || facts.size > SCRIPT_BYTES_MOST) continue;
    const text = await readFile(file, 'utf8');
    if (text.startsWith('#!') && text.includes(from)) await writeFile(file, text.replaceAll(from, to));
  }
}

async function noteUse(record: string): Promise<void> {
  const now = Date.now();
  const facts = await stat(record).catch(() => null);
  if (facts !== null && now - facts.mtimeMs > NOTED_MS) await utimes(record, new Date(now), new Date(now)).catch(() => undefined);
}

async function readJson<Value>(file: string, schema: z.ZodType<Value>): Promise<Value | null> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
