import { createHash, randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { LogLevel } from '#lib/contract/call.ts';
import type { SharedStore } from '#lib/store/instance-store.ts';
import type { FileConflict } from '#lib/store/shared-files.ts';

/**
 * The extensions folder of one of several servers, kept equal to that in the database. A save here is compared with the
 * version it began from and swapped in; a save elsewhere is written here, beside and renamed, so that the watcher and the
 * loader see an ordinary save.
 *
 * What can go wrong:
 * - two saves of one file: the later one is kept as a conflict, and the folder gets the first;
 * - a file changes here while another version is being written: it is read again just before the rename;
 * - a folder that is empty at a start, or goes away and comes back: its files are written again, never removed for all;
 * - a file that stays local: hidden files, node_modules and other packages, symbolic links, files above 1 MiB;
 * - the database is away: what was saved here waits, and is compared when it answers;
 * - the folder cannot be written: reported, and tried again.
 */
export interface SharedFolder {
  /** Gets the files of the others, then gives them those that only this folder has. Before the first load. */
  start(): Promise<void>;
  /** Files may have changed here; absolute paths. Without any: look at all. */
  look(files?: readonly string[]): void;
  /** Whether the newest change of these files, absolute, came from another server. */
  isFromOthers(files: readonly string[]): boolean;
  /** Resolves when what was saved here until now is with the database, or in conflict. */
  settled(): Promise<void>;
  /** Relative paths that are not shared, with the reason. */
  local(): readonly LocalFile[];
  conflicts(): Promise<FileConflict[]>;
  /** Both texts of a conflict; null: no file. */
  contentOf(hash: string | null): Promise<string | null>;
  settle(id: string, keep: 'serving' | 'other'): Promise<boolean>;
  close(): Promise<void>;
}

export interface LocalFile {
  readonly path: string;
  readonly reason: 'hidden' | 'packages' | 'link' | 'large' | 'special';
}

export interface SharedFolderOptions {
  readonly shared: SharedStore;
  /** Absolute. */
  readonly extensionsDir: string;
  /** Remembers which version each file began from, for saves while the server is stopped. */
  readonly stateFile: string;
  instance(): string;
  /** Conflicts came or went. */
  onConflicts(): void;
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Whether changes of files are noticed; otherwise the folder is read more often. */
  isWatched(): boolean;
}

const FILE_BYTES_MOST = 1_048_576;
const FILES_MOST = 20_000;
const DEPTH_MOST = 12;
const LOOK_MS = 1_000;
const LOOK_AT_ALL_MS = 30_000;
const LOOK_AT_ALL_UNWATCHED_MS = 2_000;
const AT_ONCE = 50;
const PACKAGES = new Set(['node_modules', '__pycache__', 'venv', 'site-packages']);

const stateSchema = z.object({ version: z.number(), files: z.record(z.string(), z.string()) });

interface Seen {
  readonly hash: string;
  readonly mtimeMs: number;
  readonly size: number;
  readonly ino: number;
}

export function createSharedFolder(options: SharedFolderOptions): SharedFolder {
  const { shared, extensionsDir, stateFile, log } = options;
  const { files, notices } = shared;
  /** The version in the database that the file here began from. */
  const bases = new Map<string, string>();
  /** Files that were here since the start: only these can be removed by a person. */
  const seen = new Map<string, Seen>();
  /** When each file last changed, in order, and where. */
  const origins = new Map<string, { readonly order: number; readonly isOther: boolean }>();
  let changes = 0;
  let local: readonly LocalFile[] = [];
  let version = 0;
  let root: number | null = null;
  let pending: Set<string> | 'all' = new Set();
  let isPullDue = true;
  let lookedAtAll = Number.NEGATIVE_INFINITY;
  let working: Promise<void> | null = null;
  let isClosed = false;
  let saidWhy = '';

  function schedule(): void {
    if (isClosed) return;
    working ??= work()
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        if (why !== saidWhy) log('warn', 'the extensions folder could not be compared with the database; trying again', { error: why });
        saidWhy = why;
      })
      .finally(() => {
        working = null;
      });
  }

  function hasWork(): boolean {
    return isPullDue || pending === 'all' || pending.size > 0;
  }

  async function work(): Promise<void> {
    while (hasWork() && !isClosed) {
      const asked = pending;
      const wasPullDue = isPullDue;
      pending = new Set();
      isPullDue = false;
      try {
        await push(asked);
        if (wasPullDue) await pull();
        await keepState();
        saidWhy = '';
      } catch (error) {
        pending = joined(asked, pending);
        isPullDue ||= wasPullDue;
        throw error;
      }
    }
  }

  /** Gives saves of this folder to the others. */
  async function push(asked: Set<string> | 'all'): Promise<void> {
    const found = await rootNumber();
    // It is away, or another one than before: nothing in it was removed by a person.
    if (found === null) return;
    if (root !== null && found !== root) seen.clear();
    root = found;
    if (asked === 'all') {
      const here = await lookAtAll();
      for (const [file, facts] of here) {
        const known = seen.get(file);
        const isKnown = known !== undefined && known.hash === bases.get(file) && isSame(facts, known);
        if (!isKnown) await pushFile(file);
      }
      for (const file of seen.keys()) if (!here.has(file)) await pushFile(file);
      return;
    }
    for (const one of asked) for (const each of await filesAt(one)) await pushFile(each);
  }

  async function pushFile(file: string): Promise<void> {
    const base = bases.get(file) ?? null;
    const now = await readHere(file);
    if (now === 'local') return;
    const hash = now?.hash ?? null;
    if (hash === base) return;
    // Removed only when it was here: a folder that is empty at a start gets its files back.
    if (hash === null && !seen.has(file)) return;
    const change = { path: file, hash, content: now?.content ?? null, base, instance: options.instance() };
    const outcome = await files.change(change);
    if (outcome.ok) {
      setBase(file, hash);
      if (hash === null) seen.delete(file);
      notices.send('files');
      return;
    }
    if (await files.keepConflict(change)) {
      log('warn', 'a file was changed on two instances; both contents are kept', { file, other: outcome.current.instance });
      options.onConflicts();
      notices.send('files', 'conflicts');
    }
    await write(file, outcome.current.hash, hash);
  }

  /** Gets what others saved. */
  async function pull(): Promise<void> {
    const changes = await files.changesAfter(version);
    for (let at = 0; at < changes.length; at += AT_ONCE) {
      const group = changes.slice(at, at + AT_ONCE);
      const missing = group.flatMap(({ path: file, hash }) => (hash === null || bases.get(file) === hash ? [] : [hash]));
      const contents = await files.contents([...new Set(missing)]);
      for (const change of group) {
        await pullFile(change.path, change.hash, contents);
        version = change.version;
      }
    }
  }

  async function pullFile(file: string, hash: string | null, contents: ReadonlyMap<string, Uint8Array>): Promise<void> {
    if (!isShareable(file)) return;
    const base = bases.get(file) ?? null;
    const now = await readHere(file);
    if (now === 'local') return;
    const here = now?.hash ?? null;
    if (here === hash) return setBase(file, hash);
    const isGone = here === null && !seen.has(file);
    // This server's own change, or one that the file here began from: what is here is a later save.
    if (base === hash && !isGone) return again(file);
    const isUntouched = here === base || isGone;
    if (!isUntouched) {
      const other = { path: file, hash: here, content: now?.content ?? null, instance: options.instance() };
      if (await files.keepConflict(other)) {
        log('warn', 'a file was changed on two instances; both contents are kept', { file });
        options.onConflicts();
        notices.send('files', 'conflicts');
      }
    }
    await write(file, hash, here, contents);
  }

  /** @param expected the content that is replaced; another one was saved meanwhile and is looked at again */
  async function write(
    file: string,
    hash: string | null,
    expected: string | null,
    contents: ReadonlyMap<string, Uint8Array> = new Map(),
  ): Promise<void> {
    const target = path.join(extensionsDir, file);
    const content = hash === null ? null : (contents.get(hash) ?? (await files.contents([hash])).get(hash));
    if (content === undefined) throw new Error(`The content of ${file} is not in the database.`);
    if (content === null) {
      if ((await hashHere(file)) !== expected) return again(file);
      await rm(target, { force: true });
      await removeEmpty(path.dirname(target));
      seen.delete(file);
    } else {
      await mkdir(path.dirname(target), { recursive: true });
      const beside = path.join(path.dirname(target), `.${randomUUID()}.tmp`);
      try {
        await writeFile(beside, content, { flag: 'wx' });
        if ((await hashHere(file)) !== expected) return again(file);
        await rename(beside, target);
      } finally {
        await rm(beside, { force: true });
      }
      const { mtimeMs, size, ino } = await stat(target);
      if (hash !== null) seen.set(file, { hash, mtimeMs, size, ino });
    }
    note(file, true);
    setBase(file, hash);
  }

  function note(file: string, isOther: boolean): void {
    origins.delete(file);
    changes += 1;
    origins.set(file, { order: changes, isOther });
    const [oldest] = origins.keys();
    if (origins.size > FILES_MOST && oldest !== undefined) origins.delete(oldest);
  }

  /** Before the database was asked: a load of this save may end first. */
  function noteSaves(absolute: readonly string[]): void {
    for (const one of absolute) {
      const file = relative(one);
      const facts = lstatSync(one, { throwIfNoEntry: false });
      const known = seen.get(file);
      if (facts !== undefined && (known === undefined || !isSame(facts, known))) note(file, false);
    }
  }

  function relative(absolute: string): string {
    return path.relative(extensionsDir, absolute).split(path.sep).join('/');
  }

  function again(file: string): void {
    if (pending !== 'all') pending.add(path.join(extensionsDir, file));
    isPullDue = true;
  }

  function setBase(file: string, hash: string | null): void {
    if (hash === null) bases.delete(file);
    else bases.set(file, hash);
  }

  async function removeEmpty(folder: string): Promise<void> {
    if (path.relative(extensionsDir, folder) === '' || path.relative(extensionsDir, folder).startsWith('..')) return;
    try {
      await rmdir(folder);
    } catch {
      return;
    }
    await removeEmpty(path.dirname(folder));
  }

  /** Null: no file there; `local`: something that is not shared. */
  async function readHere(file: string): Promise<{ readonly hash: string; readonly content: Uint8Array } | 'local' | null> {
    const target = path.join(extensionsDir, file);
    const facts = await lstat(target).catch(nothing);
    if (facts === null) return null;
    if (!facts.isFile() || facts.size > FILE_BYTES_MOST) return 'local';
    const content = await readAll(target);
    if (content === null) return null;
    if (content.length > FILE_BYTES_MOST) return 'local';
    const hash = createHash('sha256').update(content).digest('hex');
    seen.set(file, { hash, mtimeMs: facts.mtimeMs, size: facts.size, ino: facts.ino });
    return { hash, content };
  }

  async function hashHere(file: string): Promise<string | null> {
    const now = await readHere(file);
    return now === 'local' ? now : (now?.hash ?? null);
  }

  async function rootNumber(): Promise<number | null> {
    const facts = await stat(extensionsDir).catch(nothing);
    return facts?.isDirectory() === true ? facts.ino : null;
  }

  /** The files of the folder that are shared. */
  async function lookAtAll(): Promise<ReadonlyMap<string, Stats>> {
    const found = new Map<string, Stats>();
    const others: LocalFile[] = [];
    const read = async (folder: string, depth: number): Promise<void> => {
      for (const item of await readdir(path.join(extensionsDir, folder), { withFileTypes: true })) {
        const file = folder === '' ? item.name : `${folder}/${item.name}`;
        const reason = reasonOf(item.name, item.isSymbolicLink(), item.isFile() || item.isDirectory());
        if (reason !== null) {
          if (!item.name.endsWith('.tmp')) others.push({ path: file, reason });
          continue;
        }
        if (item.isDirectory()) {
          if (depth < DEPTH_MOST) await read(file, depth + 1);
          continue;
        }
        const facts = await lstat(path.join(extensionsDir, file)).catch(nothing);
        if (facts === null || found.size >= FILES_MOST) continue;
        if (facts.size > FILE_BYTES_MOST) others.push({ path: file, reason: 'large' });
        else found.set(file, facts);
      }
    };
    await read('', 1);
    local = others;
    lookedAtAll = performance.now();
    return found;
  }

  /** A path from the watcher: a file, or a folder that came or went. */
  async function filesAt(absolute: string): Promise<string[]> {
    const file = relative(absolute);
    if (file === '' || file.startsWith('..')) return [];
    const facts = await lstat(absolute).catch(nothing);
    if (facts?.isDirectory() === true || facts === null) {
      pending = 'all';
      return [];
    }
    return isShareable(file) ? [file] : [];
  }

  async function keepState(): Promise<void> {
    const text = JSON.stringify({ version, files: Object.fromEntries(bases) });
    if (text === keptState) return;
    const beside = `${stateFile}.${randomUUID()}.tmp`;
    await writeFile(beside, text);
    await rename(beside, stateFile);
    keptState = text;
  }
  let keptState = '';

  async function readState(): Promise<void> {
    const text = await readFile(stateFile, 'utf8').catch(nothing);
    if (text === null) return;
    const parsed = stateSchema.safeParse(parseOrNull(text));
    if (!parsed.success) return;
    for (const [file, hash] of Object.entries(parsed.data.files)) bases.set(file, hash);
  }

  const off = notices.on('files', (about) => {
    if (about === 'conflicts') options.onConflicts();
    isPullDue = true;
    schedule();
  });
  const timer = setInterval(() => {
    // A message may be lost.
    isPullDue = true;
    if (performance.now() - lookedAtAll > (options.isWatched() ? LOOK_AT_ALL_MS : LOOK_AT_ALL_UNWATCHED_MS)) pending = 'all';
    schedule();
  }, LOOK_MS).unref();

  return {
    async start() {
      await readState();
      await mkdir(extensionsDir, { recursive: true }).catch(nothing);
      pending = 'all';
      isPullDue = true;
      schedule();
      await working;
      if (hasWork()) log('warn', 'the extensions folder is not yet equal to that of the other instances', {});
    },
    look(changed) {
      if (changed === undefined) pending = 'all';
      else {
        noteSaves(changed);
        if (pending !== 'all') for (const file of changed) pending.add(file);
      }
      schedule();
    },
    isFromOthers(absolute) {
      let newest: { readonly order: number; readonly isOther: boolean } | null = null;
      for (const one of absolute) {
        const origin = origins.get(relative(one));
        if (origin !== undefined && origin.order > (newest?.order ?? 0)) newest = origin;
      }
      return newest?.isOther === true;
    },
    async settled() {
      while (working !== null) await working;
    },
    local: () => local,
    conflicts: () => files.conflicts(),
    async contentOf(hash) {
      if (hash === null) return null;
      const content = (await files.contents([hash])).get(hash);
      return content === undefined ? null : Buffer.from(content).toString('utf8');
    },
    async settle(id, keep) {
      const isSettled = await files.settle(id, keep, options.instance());
      if (isSettled) notices.send('files', 'conflicts');
      isPullDue = true;
      schedule();
      return isSettled;
    },
    async close() {
      isClosed = true;
      off();
      clearInterval(timer);
      await working;
    },
  };
}

function joined(one: Set<string> | 'all', other: Set<string> | 'all'): Set<string> | 'all' {
  return one === 'all' || other === 'all' ? 'all' : new Set([...one, ...other]);
}

function isSame(facts: Stats, known: Seen): boolean {
  return facts.mtimeMs === known.mtimeMs && facts.size === known.size && facts.ino === known.ino;
}

function reasonOf(name: string, isLink: boolean, isPlain: boolean): LocalFile['reason'] | null {
  if (name.startsWith('.')) return 'hidden';
  if (PACKAGES.has(name)) return 'packages';
  if (isLink) return 'link';
  return isPlain ? null : 'special';
}

function isShareable(file: string): boolean {
  const parts = file.split('/');
  return parts.length <= DEPTH_MOST && parts.every((part) => part !== '' && part !== '..' && reasonOf(part, false, true) === null);
}

/** A file that is replaced while it is read is read again at its next change. */
async function readAll(file: string): Promise<Uint8Array | null> {
  const handle = await open(file).catch(nothing);
  if (handle === null) return null;
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function nothing(): null {
  return null;
}
