import { lstat, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FSWatcher } from 'chokidar';
import type { WatchSelfTest, WatchState } from '#lib/contract/extension.ts';
import { codeOf } from './folder-items.ts';
import { createSaveBurst } from './save-burst.ts';

/**
 * Reports changes below the extensions folder (or in a helper outside of it). Events only cause a scan; their details
 * are used only for the text “saved files”.
 * What can go wrong:
 * - bursts: coalesced, with a maximum wait;
 * - an exhausted or blind watcher: a self-test writes a probe file and expects its event; otherwise polling takes over
 *   and the state has the reason; a later test may restore events, because the machine may only have been busy;
 * - a watcher exhausted later or during its test, which may still report part of the folder: it is not relied on, and
 *   the next test starts a new one;
 * - a folder with a stale listing: polling is tested too, by reading the folder as a scan does; without the probe file
 *   the state is blind, and scans continue;
 * - events after close: dropped.
 */
export interface Watcher {
  state(): WatchState;
  /** Also watch these files, which lie outside of the folder. Replaces the former list. */
  watchAlso(files: readonly string[]): void;
  /** Resolves once watching is proven to work, or polling has taken over and was tested. */
  readonly settled: Promise<void>;
  /**
   * Tests again, or waits for the running test, and returns the state of watching. When events work again after polling
   * took over, watching starts again. Nothing is tested while watching is off.
   */
  test(): Promise<WatchState>;
  /**
   * Starts again because paths lead elsewhere now, tests, and asks for a scan. The old watcher is closed once the new
   * one has started.
   */
  watchAnew(): Promise<void>;
  close(): Promise<void>;
}

export interface WatcherOptions {
  readonly folder: string;
  readonly mode: 'native' | 'polling' | 'off';
  /**
   * Events arrived and, for a moment, no more: `onChange` follows unless more arrive. `files` are absolute; `areSaves`:
   * each existed before and still does.
   */
  onPause?(files: readonly string[], areSaves: boolean): void;
  /**
   * `files` are absolute; empty when polling asks for a scan without a known change. `isSettled`: no event since the
   * last `onPause`.
   */
  onChange(files: readonly string[], isSettled: boolean): void;
  /** The mode changed; self-test results are returned only to callers that waited for it. */
  onState(state: WatchState): void;
  /** Lists the names in a folder; defaults to `readdir`. */
  readonly list?: (folder: string) => Promise<string[]>;
  /** How long the self-test waits for its file; defaults to two seconds. */
  readonly probeWaitMs?: number;
  /** When the wanted mode is tried again after it failed; then after twice as long each time. Defaults to ten seconds. */
  readonly retryMs?: number;
}

interface NativeWatch {
  readonly watcher: FSWatcher;
  /** Whether it has read the entire folder or reported an error. */
  readonly begun: Promise<void>;
  isBroken: boolean;
}

const POLL_MS = 1_000;
const PROBE_PREFIX = '.switchboard-probe-';
const PROBE_WAIT_MS = 2_000;
const PROBE_LOOK_MS = 100;
const RETRY_MS = 10_000;
const RETRY_MOST_MS = 300_000;
const UNDER_WAY: WatchSelfTest = { result: 'running', reason: null, at: null, duration_ms: null };
/** Older ones were left by a killed server; a younger one may belong to another server. */
const PROBE_OLD_MS = 5 * PROBE_WAIT_MS;
const UNWATCHED = /(^|[\\/])(node_modules|__pycache__|\.git|\.venv)([\\/]|$)/;

export function createWatcher(options: WatcherOptions): Watcher {
  let state: WatchState = {
    mode: options.mode,
    reason: null,
    self_test: options.mode === 'off' ? untested('watching is switched off by WATCH=off') : UNDER_WAY,
  };
  const { list = readdir, probeWaitMs = PROBE_WAIT_MS, retryMs = RETRY_MS } = options;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;
  let nextRetryMs = retryMs;
  const burst = createSaveBurst({
    onPause: (files, areSaves) => options.onPause?.(files, areSaves),
    onEnd: (files, isSettled) => options.onChange(files, isSettled),
  });
  let poll: NodeJS.Timeout | null = null;
  let also = new Set<string>();
  let probe = { name: '', seen: (_: boolean): void => undefined };
  let probes = 0;
  let pollingReason: string | null = null;
  let testing: Promise<void> | null = null;
  let native = options.mode === 'native' ? startNative() : null;
  let replaced: Promise<unknown> = Promise.resolve();
  let anew: Promise<void> | null = null;
  let isAnewDue = false;

  function setState(next: Partial<WatchState>): void {
    const isOther = next.mode !== undefined && next.mode !== state.mode;
    state = { ...state, ...next };
    if (isOther && !closed) options.onState(state);
  }

  function startPolling(reason: string | null): void {
    if (closed || poll !== null) return;
    pollingReason = reason;
    poll = setInterval(() => options.onChange([], false), POLL_MS);
    poll.unref();
    setState({ mode: 'polling', reason, self_test: UNDER_WAY });
  }

  function stopPolling(): void {
    if (poll === null) return;
    clearInterval(poll);
    poll = null;
    setState({ mode: 'native', reason: null });
    // Changes since the last scan may precede the first event.
    options.onChange([], false);
  }

  function note(file: string, isSave: boolean): void {
    if (closed) return;
    if (path.basename(file).startsWith(PROBE_PREFIX)) {
      if (path.basename(file) === probe.name) probe.seen(true);
      return;
    }
    burst.note(file, isSave);
  }

  function startNative(): NativeWatch {
    const watcher = new FSWatcher({
      ignoreInitial: true,
      ignored: (file) => UNWATCHED.test(file.slice(options.folder.length)),
      atomic: false,
    });
    const begun = Promise.withResolvers<void>();
    const begins: NativeWatch = { watcher, begun: begun.promise, isBroken: false };
    watcher.once('ready', begun.resolve);
    watcher.on('all', (event, file) => note(file, event === 'change'));
    watcher.on('raw', () => burst.stir());
    watcher.on('error', (error) => {
      if (begins.isBroken || closed) return;
      begins.isBroken = true;
      begun.resolve();
      startPolling(`watching stopped: ${stopReason(error)}`);
      void prove();
    });
    watcher.add([options.folder, ...also]);
    return begins;
  }

  function replaceBroken(): void {
    if (native === null || !native.isBroken || testing !== null) return;
    replaced = Promise.all([replaced, native.watcher.close()]);
    native = startNative();
  }

  async function replaceAll(): Promise<void> {
    const old = native;
    if (old === null || closed) return;
    native = startNative();
    await native.begun;
    replaced = Promise.all([replaced, old.watcher.close()]);
    if (closed) return;
    options.onChange([], false);
    // A running test may belong to the closed watcher.
    await testing;
    await prove();
  }

  /** One at a time: concurrent callers share the result. */
  function prove(): Promise<void> {
    testing ??= proveOnce().finally(() => {
      testing = null;
      retryLater();
    });
    return testing;
  }

  function retryLater(): void {
    clearTimeout(retry);
    if (closed || state.mode === options.mode) {
      nextRetryMs = retryMs;
      return;
    }
    retry = setTimeout(() => {
      replaceBroken();
      void prove();
    }, nextRetryMs);
    retry.unref();
    nextRetryMs = Math.min(2 * nextRetryMs, RETRY_MOST_MS);
  }

  async function proveOnce(): Promise<void> {
    const tested = native;
    await tested?.begun;
    await removeOldProbes(options.folder);
    if (tested !== null && !tested.isBroken) {
      const seen = await tryProbe(sawProbe);
      if (seen && !tested.isBroken) stopPolling();
      if (seen !== false && !tested.isBroken) return;
      startPolling('changes in this folder raise no events (a container mount or network file system?)');
    }
    if (closed) return;
    setState({ self_test: UNDER_WAY });
    const listed = await tryProbe(listsProbe);
    if (listed === false) setState({ mode: 'blind', reason: 'files written to this folder are missing from its listing' });
    else if (listed && state.mode === 'blind') setState({ mode: 'polling', reason: pollingReason });
  }

  /** Null: it could not be written. */
  async function tryProbe(isSeen: (name: string) => Promise<boolean>): Promise<boolean | null> {
    probes += 1;
    // As other temporary files, it is not listed as one that stays on this server.
    const name = `${PROBE_PREFIX}${process.pid}-${probes}.tmp`;
    const began = performance.now();
    const seeing = isSeen(name);
    try {
      await writeFile(path.join(options.folder, name), '');
    } catch {
      probe.seen(false);
      setState({ self_test: untested('no file can be written into the folder') });
      return null;
    }
    const seen = await seeing;
    const duration_ms = Math.round((performance.now() - began) * 10) / 10;
    // A leftover file is removed by a later test.
    await rm(path.join(options.folder, name), { force: true }).catch(() => undefined);
    const at = new Date().toISOString();
    if (seen) setState({ self_test: { result: 'seen', reason: null, at, duration_ms } });
    else
      setState({
        self_test: { result: 'not_seen', reason: `the probe file was not detected within ${probeWaitMs / 1_000} s`, at, duration_ms },
      });
    return seen;
  }

  /** Whether the folder lists the file when it is read again, as a scan does. */
  async function listsProbe(name: string): Promise<boolean> {
    const until = performance.now() + probeWaitMs;
    for (;;) {
      const names = await list(options.folder).catch((): string[] => []);
      if (names.includes(name)) return true;
      if (performance.now() > until) return false;
      await sleep(PROBE_LOOK_MS, undefined, { ref: false });
    }
  }

  function sawProbe(name: string): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (seen: boolean): void => {
        clearTimeout(limit);
        resolve(seen);
      };
      const limit = setTimeout(end, probeWaitMs, false);
      limit.unref();
      probe = { name, seen: end };
    });
  }

  if (options.mode === 'polling') startPolling(null);

  return {
    state: () => state,
    watchAlso(files) {
      if (native === null || closed) return;
      const next = new Set(files);
      const gone = [...also].filter((file) => !next.has(file));
      const fresh = files.filter((file) => !also.has(file));
      also = next;
      if (gone.length > 0) native.watcher.unwatch(gone);
      if (fresh.length > 0) native.watcher.add(fresh);
    },
    settled: options.mode === 'off' ? Promise.resolve() : prove(),
    async test() {
      if (options.mode === 'off' || closed) return state;
      setState({ self_test: UNDER_WAY });
      replaceBroken();
      await prove();
      return state;
    },
    watchAnew() {
      isAnewDue = anew !== null;
      anew ??= replaceAll().finally(() => {
        anew = null;
        if (isAnewDue && !closed) void this.watchAnew();
      });
      return anew;
    },
    async close() {
      closed = true;
      burst.close();
      clearTimeout(retry);
      if (poll !== null) clearInterval(poll);
      await Promise.all([replaced, native?.watcher.close()]);
    },
  };
}

function stopReason(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOSPC') return 'more folders than fs.inotify.max_user_watches allows (ENOSPC); raise it with sysctl';
  if (code === 'EMFILE') return 'more watchers than fs.inotify.max_user_instances allows (EMFILE); raise it with sysctl';
  return error instanceof Error ? error.message : String(error);
}

function untested(reason: string): WatchSelfTest {
  return { result: 'not_run', reason, at: null, duration_ms: null };
}

async function removeOldProbes(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(PROBE_PREFIX))) {
    const probe = path.join(folder, name);
    const written = await stat(probe).catch(() => null);
    if (written !== null && Date.now() - written.mtimeMs > PROBE_OLD_MS) await rm(probe, { force: true }).catch(() => undefined);
  }
}

/**
 * Watches the targets of symbolic links. File events belong to the target at the time when watching began: a link that is
 * swapped, as deployments swap `current`, or a linked folder that is removed and restored, raises none. So targets are
 * polled, by file identity and not by name. The root is always polled, because a deployment may rename it.
 * What can go wrong:
 * - a link is swapped before it is known as one: the caller is notified of new links, and scans;
 * - a path becomes a link later: events report that, and it is checked again after the load that follows;
 * - many paths: only those behind links are polled.
 */
interface LinkWatch {
  /** Call it when the paths changed. Links among them are detected a moment later, when no load is running. */
  follow(): void;
  close(): void;
}

interface FollowedPaths {
  /** Absolute. */
  readonly all: readonly string[];
  /** New paths, and paths whose files may have been replaced. */
  readonly fresh: readonly string[];
}

interface LinkWatchOptions {
  readonly root: string;
  paths(): FollowedPaths;
  /** These links have a new target, or are new. */
  onMoved(paths: readonly string[]): void;
}

const LOOK_MS = 500;
/** Delays the check, so that a load and the calls after it get the processor first. */
const FIND_AFTER_MS = 1_000;

export function createLinkWatch({ root, paths, onMoved }: LinkWatchOptions): LinkWatch {
  /** The target of each path; null: none. */
  let followed = new Map<string, string | null>();
  let finding: NodeJS.Timeout | null = null;
  let isBusy = false;
  let closed = false;

  /** One at a time, so that no check uses a list that is about to be replaced. */
  async function run(work: () => Promise<readonly string[]>): Promise<void> {
    if (isBusy || closed) return;
    isBusy = true;
    try {
      const moved = await work();
      if (moved.length > 0 && !closed) onMoved(moved);
    } finally {
      isBusy = false;
    }
  }

  async function look(): Promise<readonly string[]> {
    const moved: string[] = [];
    for (const [place, before] of followed) {
      const now = await identityOf(place);
      if (now === before) continue;
      followed.set(place, now);
      moved.push(place);
    }
    return moved;
  }

  async function find(): Promise<readonly string[]> {
    const realRoot = (await realpath(root).catch(() => null)) ?? root;
    const { all, fresh } = paths();
    const places = new Set([root, ...remainingPaths(all), ...(await linkedOf(fresh, root, realRoot))]);
    const next = new Map<string, string | null>();
    const found: string[] = [];
    for (const place of places) {
      const known = followed.get(place);
      if (known === undefined && place !== root) found.push(place);
      next.set(place, known === undefined ? await identityOf(place) : known);
    }
    followed = next;
    return found;
  }

  /** Links in the path of a file that is still in the list. */
  function remainingPaths(all: readonly string[]): readonly string[] {
    return [...followed.keys()].filter((place) => all.some((file) => file === place || file.startsWith(place + path.sep)));
  }

  void run(find);
  const looking = setInterval(() => void run(look), LOOK_MS).unref();

  return {
    follow() {
      if (closed) return;
      if (finding !== null) clearTimeout(finding);
      const begin = (): void => {
        finding = isBusy ? setTimeout(begin, LOOK_MS / 10).unref() : null;
        if (finding === null) void run(find);
      };
      finding = setTimeout(begin, FIND_AFTER_MS).unref();
    },
    close() {
      closed = true;
      clearInterval(looking);
      if (finding !== null) clearTimeout(finding);
    },
  };
}

/** Inode numbers are reused quickly; the birth time distinguishes the files. */
async function identityOf(place: string): Promise<string | null> {
  const facts = await stat(place, { bigint: true }).catch(() => null);
  return facts === null ? null : `${facts.dev}:${facts.ino}:${facts.birthtimeNs}`;
}

/** Links, and files in a folder reached through a link. */
async function linkedOf(paths: readonly string[], root: string, realRoot: string): Promise<readonly string[]> {
  const linked: string[] = [];
  const folders = new Set(paths.map((file) => path.dirname(file)));
  for (const folder of folders) {
    const real = await realpath(folder).catch(() => null);
    if (real === null) {
      const dangling = await danglingLink(folder);
      if (dangling !== null) linked.push(dangling);
    } else if (real !== pathWithoutLinks(folder, root, realRoot)) linked.push(folder);
  }
  for (const file of new Set(paths)) {
    const facts = await lstat(file).catch(() => null);
    if (facts?.isSymbolicLink() === true) linked.push(file);
  }
  return linked;
}

/** Its path from the root when there is no link in it. */
function pathWithoutLinks(place: string, root: string, realRoot: string): string {
  return place === root || place.startsWith(root + path.sep) ? realRoot + place.slice(root.length) : place;
}

/** The nearest existing folder above it, when that is a broken link. */
async function danglingLink(folder: string): Promise<string | null> {
  for (let at = folder; ; at = path.dirname(at)) {
    const facts = await lstat(at).catch(() => null);
    if (facts !== null) return facts.isSymbolicLink() ? at : null;
    if (path.dirname(at) === at) return null;
  }
}
