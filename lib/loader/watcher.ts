import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FSWatcher } from 'chokidar';
import type { WatchState } from '#lib/contract/extension.ts';

/**
 * Tells that something changed below the extensions folder (or in a helper outside of it). Events only ask for a rescan;
 * what they say is used for the words “saved files” and for nothing else.
 * What goes wrong: bursts (coalesced, with a longest wait), an exhausted or blind watcher (a self-test writes a probe file and
 * expects to hear of it; else polling takes over and the state says why), events after close (dropped).
 */
export interface Watcher {
  state(): WatchState;
  /** Also watch these files, which lie outside of the folder. Replaces the former list. */
  watchAlso(files: readonly string[]): void;
  /** Resolves once native watching has proved that it sees changes, or polling has taken over. */
  readonly settled: Promise<void>;
  close(): Promise<void>;
}

export interface WatcherOptions {
  readonly folder: string;
  readonly mode: 'native' | 'polling' | 'off';
  /** `files` are absolute; empty when polling asks for a look without knowing of a change. */
  onChange(files: readonly string[]): void;
  onState(state: WatchState): void;
}

const COALESCE_MS = 8;
const LONGEST_WAIT_MS = 60;
const POLL_MS = 1_000;
const PROBE_PREFIX = '.switchboard-probe-';
const PROBE_WAIT_MS = 2_000;
/** Older ones were left by a server that was killed; a younger one may be another server's. */
const PROBE_OLD_MS = 5 * PROBE_WAIT_MS;
const UNWATCHED = /(^|[\\/])(node_modules|__pycache__|\.git|\.venv)([\\/]|$)/;

export function createWatcher(options: WatcherOptions): Watcher {
  let state: WatchState = { mode: options.mode, reason: null };
  let closed = false;
  let pending = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  let waitingSince = 0;
  let poll: NodeJS.Timeout | null = null;
  let also = new Set<string>();
  let probeSeen: (() => void) | null = null;
  const native = options.mode === 'native' ? startNative() : null;

  function setState(next: WatchState): void {
    state = next;
    options.onState(next);
  }

  function startPolling(reason: string | null): void {
    if (closed || poll !== null) return;
    poll = setInterval(() => options.onChange([]), POLL_MS);
    poll.unref();
    setState({ mode: 'polling', reason });
  }

  function flush(): void {
    timer = null;
    const files = [...pending];
    pending = new Set();
    if (!closed) options.onChange(files);
  }

  function note(file: string): void {
    if (closed) return;
    if (path.basename(file).startsWith(PROBE_PREFIX)) {
      probeSeen?.();
      return;
    }
    if (pending.size === 0) waitingSince = performance.now();
    pending.add(file);
    if (timer !== null) {
      if (performance.now() - waitingSince > LONGEST_WAIT_MS) return;
      clearTimeout(timer);
    }
    timer = setTimeout(flush, COALESCE_MS);
  }

  function startNative(): FSWatcher {
    const watcher = new FSWatcher({
      ignoreInitial: true,
      ignored: (file) => UNWATCHED.test(file.slice(options.folder.length)),
      atomic: false,
    });
    watcher.on('all', (_event, file) => note(file));
    watcher.on('error', (error) => startPolling(`watching stopped: ${error instanceof Error ? error.message : String(error)}`));
    watcher.add(options.folder);
    return watcher;
  }

  async function proveNative(watcher: FSWatcher): Promise<void> {
    await new Promise<void>((resolve) => {
      watcher.once('ready', () => resolve());
    });
    await removeOldProbes(options.folder);
    const probe = path.join(options.folder, `${PROBE_PREFIX}${process.pid}`);
    const seen = new Promise<boolean>((resolve) => {
      const limit = setTimeout(() => resolve(false), PROBE_WAIT_MS);
      limit.unref();
      probeSeen = () => {
        clearTimeout(limit);
        resolve(true);
      };
    });
    try {
      await writeFile(probe, '');
    } catch {
      probeSeen = null;
      return;
    }
    const isSeen = await seen;
    probeSeen = null;
    await rm(probe, { force: true });
    if (!isSeen) startPolling('changes in this folder raise no events (a container mount or network file system?)');
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
      if (gone.length > 0) native.unwatch(gone);
      if (fresh.length > 0) native.add(fresh);
    },
    settled: native === null ? Promise.resolve() : proveNative(native),
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      if (poll !== null) clearInterval(poll);
      await native?.close();
    },
  };
}

async function removeOldProbes(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(PROBE_PREFIX))) {
    const probe = path.join(folder, name);
    const written = await stat(probe).catch(() => null);
    if (written !== null && Date.now() - written.mtimeMs > PROBE_OLD_MS) await rm(probe, { force: true }).catch(() => undefined);
  }
}
