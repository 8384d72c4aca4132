import { lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LogLevel } from '#lib/contract/call.ts';
import type { LocalFile } from '#lib/contract/instance.ts';
import type { SharedStore } from '#lib/store/instance-store.ts';
import type { FileConflict, SharedFile } from '#lib/store/shared-files.ts';
import {
  codeOf,
  createAttempts,
  createFileBases,
  factsOf,
  FILES_MOST,
  foldersAbove,
  identityOf,
  isAtRest,
  isSame,
  isShareable,
  listFolder,
  readFileOf,
  replaceFile,
  REST_MS,
} from './folder-files.ts';
import type { FileContent, FileFacts } from './folder-files.ts';
import type { Instances } from './instances.ts';

/**
 * Synchronizes the extensions folder of one of several servers with the database. A save here is a compare-and-swap with its
 * base version; a save elsewhere is written here to a temporary file and renamed, so that the watcher and the loader see an
 * ordinary save.
 *
 * What can go wrong:
 * - two saves of one file: the later one is stored as a conflict, and the folder gets the first;
 * - a save of a file that others removed: it is a new file;
 * - a file is read while an editor writes it, often still empty: it is read again once it has not changed for a moment;
 * - a file changes here while another version is being written: it is read again just before the rename;
 * - the folder is empty at a start, or vanishes and returns: its files are written again, never removed on all servers;
 * - a file was removed here while this server was stopped: removed on all servers if no other server runs and the folder is the
 *   same one and still has other files; in an image without the file, or an empty mount, it is written again;
 * - a file was removed elsewhere while this server was stopped: removed here too, unless it was changed here meanwhile;
 * - a file that stays local: folder-files.ts;
 * - the database is unreachable: saves here are queued, and compared when it answers;
 * - a file or folder cannot be read or written: reported and retried; its shared version stays, and other files are not delayed;
 * - a file is replaced with a folder, or a folder with a file: the old ones are removed on all servers.
 */
export interface SharedFolder {
  /** Pulls the files of the others, then shares those that only this folder has. Call it before the first load. */
  start(): Promise<void>;
  /** Checks files for changes; absolute paths. Without paths: all files. */
  look(files?: readonly string[]): void;
  /** A person is about to save these files here, and is named in conflicts. */
  expect(saves: readonly AuthoredSave[], actor: string | null): void;
  /** Whether the newest change of these files, absolute, came from another server. */
  isFromOthers(files: readonly string[]): boolean;
  /** Resolves when all saves so far are in the database or in conflict. */
  settled(): Promise<void>;
  conflicts(): Promise<FileConflict[]>;
  /** The text with a hash; null: no file. */
  contentOf(hash: string | null): Promise<string | null>;
  settle(id: string, keep: 'serving' | 'other', actor: string | null): Promise<boolean>;
  close(): Promise<void>;
}

export interface AuthoredSave {
  /** Relative. */
  readonly path: string;
  /** SHA-256 of its content; null for a removal. */
  readonly hash: string | null;
}

export interface SharedFolderOptions {
  readonly shared: { readonly instances: Pick<SharedStore['instances'], 'setLocalFiles'> } & Pick<SharedStore, 'files' | 'notices'>;
  /** Absolute. */
  readonly extensionsDir: string;
  /** Stores the base version of each file, to detect changes made while the server is stopped. */
  readonly stateFile: string;
  readonly instances: Pick<Instances, 'id' | 'list'>;
  /** Conflicts were added or resolved. */
  onConflicts(): void;
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Whether file watching works; otherwise the folder is read more often. */
  isWatched(): boolean;
}

const LOOK_MS = 1_000;
const LOOK_AT_ALL_MS = 30_000;
const LOOK_AT_ALL_UNWATCHED_MS = 2_000;
/** A file that is written continuously is shared after this time. */
const REST_MOST_MS = 1_000;
const AT_ONCE = 50;
const AUTHORS_MOST = 1_000;
const LOCAL_LISTED = 200;
const UNKNOWN: FileFacts = { mtimeMs: 0, size: 0, ino: 0 };

interface Seen extends FileFacts {
  readonly hash: string;
}

export function createSharedFolder(options: SharedFolderOptions): SharedFolder {
  const { shared, extensionsDir, stateFile, log } = options;
  const { files, notices } = shared;
  const bases = createFileBases(stateFile);
  /** Files that existed here since the start: only these can count as removed by a person. */
  const seen = new Map<string, Seen>();
  /** Order of the last change of each file, and whether another server made it. */
  const origins = new Map<string, { readonly order: number; readonly isOther: boolean }>();
  const authors = new Map<string, { readonly hash: string | null; readonly actor: string | null }>();
  /** Conflicting changes, until the served version is written to the folder. */
  const refused = new Map<string, string | null>();
  /** Files that may still be in the middle of a write, with the start time on the monotonic clock. */
  const writing = new Map<string, number>();
  /** Changes of others that are not yet written here. */
  const unwritten = new Map<string, SharedFile>();
  const writes = createAttempts(log);
  const pushes = createAttempts(log);
  let changes = 0;
  let reportedLocal = '';
  let version = 0;
  let root: string | null = null;
  let pending: Set<string> | 'all' = new Set();
  let isPullDue = true;
  let allCheckedAt = Number.NEGATIVE_INFINITY;
  let working: Promise<void> | null = null;
  /** Before the start, there is no loader and the base versions are unknown. */
  let isStarted = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let loggedReason = '';

  function schedule(): void {
    if (!isStarted || isClosed) return;
    working ??= work()
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        if (why !== loggedReason)
          log('warn', 'the extensions folder could not be synchronized with the database; retrying', { error: why });
        loggedReason = why;
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
      if (!(await checkFolder())) return;
      const asked = pending;
      const wasPullDue = isPullDue;
      pending = new Set();
      isPullDue = false;
      try {
        if (wasPullDue) await pull();
        await push(asked);
        await waitForRest();
        await bases.store();
        loggedReason = '';
      } catch (error) {
        pending = mergedPaths(asked, pending);
        isPullDue ||= wasPullDue;
        throw error;
      }
    }
  }

  /** When the folder is missing or replaced, its missing files do not count as removed, and all files are written again. */
  async function checkFolder(): Promise<boolean> {
    const found = await identityOf(extensionsDir);
    if (found !== root) {
      root = found;
      if (found !== null) bases.setFolder(found);
      seen.clear();
      unwritten.clear();
      version = 0;
      isPullDue = true;
      pending = 'all';
    }
    return found !== null;
  }

  /** Files that were removed or replaced here while the server was stopped count as seen, so that they are removed on all servers. */
  async function findRemoved(storedFolder: string | null): Promise<void> {
    if (storedFolder !== root) return;
    const missing: string[] = [];
    let there = 0;
    for (const file of bases.files()) {
      const found = await lstat(path.join(extensionsDir, file)).then((facts) => (facts.isDirectory() ? 'ENOTDIR' : null), codeOf);
      if (found === null) there += 1;
      else if (found === 'ENOENT') missing.push(file);
      else if (found === 'ENOTDIR') countAsSeen(file);
    }
    const instances = await options.instances.list();
    if (instances.some(({ is_self: isSelf, state }) => !isSelf && state !== 'gone')) return;
    if (there > 0) for (const file of missing) countAsSeen(file);
  }

  function countAsSeen(file: string): void {
    const hash = bases.get(file);
    if (hash !== null) seen.set(file, { hash, ...UNKNOWN });
  }

  async function waitForRest(): Promise<void> {
    if (writing.size === 0) return;
    pending = mergedPaths(new Set([...writing.keys()].map((file) => path.join(extensionsDir, file))), pending);
    await delay(REST_MS);
  }

  /** A save in the browser is known to be complete. `readAt`: time before the read. */
  function mayStillBeWritten(file: string, { hash, facts }: Pick<FileContent, 'hash' | 'facts'>, readAt: number): boolean {
    const now = performance.now();
    const since = writing.get(file) ?? now;
    const isWritten = authors.get(file)?.hash !== hash && !isAtRest(facts, readAt) && now - since < REST_MOST_MS;
    if (isWritten) writing.set(file, since);
    else writing.delete(file);
    return isWritten;
  }

  /** Shares the saves in this folder with the others. */
  async function push(asked: Set<string> | 'all'): Promise<void> {
    if (asked === 'all') {
      const here = await listFolder(extensionsDir);
      allCheckedAt = performance.now();
      for (const [file, facts] of here.shared) {
        const known = seen.get(file);
        const isKnown = known !== undefined && known.hash === bases.get(file) && isSame(facts, known);
        if (!isKnown) await tryPush(file);
      }
      const isUnknown = (file: string): boolean => here.unreadable.some((one) => file === one || file.startsWith(`${one}/`));
      for (const file of seen.keys()) if (!here.shared.has(file) && !isUnknown(file)) await tryPush(file);
      await reportLocal(here.local);
      return;
    }
    for (const one of asked) for (const each of await filesAt(one)) await tryPush(each);
  }

  async function tryPush(file: string): Promise<void> {
    if (!(await pushes.run(file, () => pushFile(file)))) writing.delete(file);
  }

  async function pushFile(file: string): Promise<void> {
    const base = bases.get(file);
    const readAt = Date.now();
    const now = await readHere(file);
    const hash = now === null || now === 'local' ? null : now.hash;
    if (now === null || now === 'local' || hash === base) writing.delete(file);
    else if (mayStillBeWritten(file, now, readAt)) return;
    if (now === 'local' || hash === base) return;
    // A file is removed only if it was seen here: a folder that is empty at a start gets its files back.
    if (hash === null && !seen.has(file)) return;
    if (hash !== null)
      for (const folder of foldersAbove(file)) {
        if (bases.get(folder) === null) continue;
        countAsSeen(folder);
        await tryPush(folder);
      }
    const author = authors.get(file);
    const actor = author?.hash === hash ? author.actor : null;
    const change = { path: file, hash, content: now?.content ?? null, base, instance: options.instances.id(), actor };
    const outcome = await files.change(change);
    if (outcome.ok) {
      setBase(file, hash);
      if (hash === null) seen.delete(file);
      notices.send('files');
      return;
    }
    if (refused.get(file) !== hash && (await files.addConflict(change))) {
      log('warn', 'a file was changed on two instances; both versions are stored', { file });
      options.onConflicts();
      notices.send('files', 'conflicts');
    }
    refused.set(file, hash);
    await write(file, outcome.current.hash, hash);
  }

  /** Writes the saves of others here. Repeats while some succeed: a folder may wait for the removal of a file at its path. */
  async function pull(): Promise<void> {
    for (const change of await files.changesAfter(version)) {
      unwritten.set(change.path, change);
      version = change.version;
    }
    for (let before = Number.POSITIVE_INFINITY; unwritten.size > 0 && unwritten.size < before;) {
      before = unwritten.size;
      await pullAll([...unwritten.values()]);
    }
  }

  async function pullAll(found: readonly SharedFile[]): Promise<void> {
    let failures = 0;
    for (let at = 0; at < found.length && failures < AT_ONCE; at += AT_ONCE) {
      const group = found.slice(at, at + AT_ONCE);
      const missing = group.flatMap(({ path: file, hash }) => (hash === null || bases.get(file) === hash ? [] : [hash]));
      const contents = await files.contents([...new Set(missing)]);
      for (const change of group) {
        const isDone = await writes.run(change.path, () => pullFile(change.path, change.hash, contents));
        unwritten.delete(change.path);
        if (isDone) continue;
        // Moved to the end for the next attempt.
        unwritten.set(change.path, change);
        failures += 1;
      }
    }
  }

  async function pullFile(file: string, hash: string | null, contents: ReadonlyMap<string, Uint8Array>): Promise<void> {
    if (!isShareable(file)) return;
    const now = await readHere(file);
    if (now === 'local') return;
    const here = now?.hash ?? null;
    if (here === hash) return setBase(file, hash);
    const isUntouched = here === bases.get(file) || (here === null && !seen.has(file));
    await (isUntouched ? write(file, hash, here, contents) : pushFile(file));
  }

  /** @param expected hash of the replaced content; if it differs now, the file was saved meanwhile and is checked again */
  async function write(
    file: string,
    hash: string | null,
    expected: string | null,
    contents: ReadonlyMap<string, Uint8Array> = new Map(),
  ): Promise<void> {
    const content = hash === null ? null : (contents.get(hash) ?? (await files.contents([hash])).get(hash));
    if (content === undefined) throw new Error(`The content of ${file} is not in the database.`);
    const facts = await replaceFile(extensionsDir, file, content, async () => (await hashHere(file)) === expected);
    if (facts === null) return recheck(file);
    if (hash === null || facts === 'removed') seen.delete(file);
    else seen.set(file, { hash, mtimeMs: facts.mtimeMs, size: facts.size, ino: facts.ino });
    note(file, true);
    setBase(file, hash);
  }

  function note(file: string, isOther: boolean): void {
    origins.delete(file);
    changes += 1;
    origins.set(file, { order: changes, isOther });
    dropOldest(origins, FILES_MOST);
  }

  /** Runs before the database request, because a load of this save may end first. */
  function noteSaves(absolute: readonly string[]): void {
    for (const one of absolute) {
      const file = relative(one);
      const facts = factsOf(one);
      const known = seen.get(file);
      if (facts !== null && (known === undefined || !isSame(facts, known))) note(file, false);
    }
  }

  function relative(absolute: string): string {
    return path.relative(extensionsDir, absolute).split(path.sep).join('/');
  }

  function recheck(file: string): void {
    if (pending !== 'all') pending.add(path.join(extensionsDir, file));
    isPullDue = true;
  }

  function setBase(file: string, hash: string | null): void {
    refused.delete(file);
    bases.set(file, hash);
  }

  async function readHere(file: string): ReturnType<typeof readFileOf> {
    const now = await readFileOf(extensionsDir, file);
    if (now === null || now === 'local') return now;
    const { mtimeMs, size, ino } = now.facts;
    seen.set(file, { hash: now.hash, mtimeMs, size, ino });
    return now;
  }

  async function hashHere(file: string): Promise<string | null> {
    const now = await readHere(file);
    return now === 'local' ? now : (now?.hash ?? null);
  }

  async function reportLocal(local: readonly LocalFile[]): Promise<void> {
    const instance = options.instances.id();
    const listed = local.toSorted((a, b) => (a.path < b.path ? -1 : 1)).slice(0, LOCAL_LISTED);
    const report = `${instance} ${JSON.stringify(listed)}`;
    if (report === reportedLocal) return;
    await shared.instances.setLocalFiles(instance, listed);
    reportedLocal = report;
  }

  /** The files at a path from the watcher: a file, or a folder that was added or removed. */
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

  const off = notices.on('files', (about) => {
    if (about === 'conflicts') options.onConflicts();
    isPullDue = true;
    schedule();
  });
  function lookRegularly(): void {
    // A notification may be lost.
    isPullDue = true;
    if (pending !== 'all') for (const file of pushes.failed()) pending.add(path.join(extensionsDir, file));
    if (performance.now() - allCheckedAt > (options.isWatched() ? LOOK_AT_ALL_MS : LOOK_AT_ALL_UNWATCHED_MS)) pending = 'all';
    schedule();
  }

  return {
    async start() {
      const storedFolder = await bases.read();
      await mkdir(extensionsDir, { recursive: true }).catch(nothing);
      if (await checkFolder())
        await findRemoved(storedFolder).catch((error: unknown) =>
          log('warn', 'files that were removed while this server was stopped are written again', { error: String(error) }),
        );
      pending = 'all';
      isPullDue = true;
      isStarted = true;
      timer = setInterval(lookRegularly, LOOK_MS).unref();
      schedule();
      await working;
      if (hasWork() || unwritten.size > 0) log('warn', 'the extensions folder is not yet in sync with the other instances', {});
    },
    look(changed) {
      if (changed === undefined) pending = 'all';
      else {
        noteSaves(changed);
        if (pending !== 'all') for (const file of changed) pending.add(file);
      }
      schedule();
    },
    expect(saves, actor) {
      for (const { path: file, hash } of saves) {
        authors.delete(file);
        authors.set(file, { hash, actor });
        dropOldest(authors, AUTHORS_MOST);
      }
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
    conflicts: () => files.conflicts(),
    async contentOf(hash) {
      if (hash === null) return null;
      const content = (await files.contents([hash])).get(hash);
      return content === undefined ? null : Buffer.from(content).toString('utf8');
    },
    async settle(id, keep, actor) {
      const isSettled = await files.settle(id, keep, { instance: options.instances.id(), actor });
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

function mergedPaths(one: Set<string> | 'all', other: Set<string> | 'all'): Set<string> | 'all' {
  return one === 'all' || other === 'all' ? 'all' : new Set([...one, ...other]);
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

function nothing(): null {
  return null;
}
