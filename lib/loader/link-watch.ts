import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Watches the targets of symbolic links. File events belong to the target at the time when watching began: a link that is
 * swapped, as deployments swap `current`, or a linked folder that is removed and restored, raises none. So targets are
 * polled, by file identity and not by name. The root is always polled, because a deployment may rename it.
 * What can go wrong:
 * - a link is swapped before it is known as one: the caller is notified of new links, and scans;
 * - a path becomes a link later: events report that, and it is checked again after the load that follows;
 * - many paths: only those behind links are polled.
 */
export interface LinkWatch {
  /** Call it when the paths changed. Links among them are detected a moment later, when no load is running. */
  follow(): void;
  close(): void;
}

export interface FollowedPaths {
  /** Absolute. */
  readonly all: readonly string[];
  /** New paths, and paths whose files may have been replaced. */
  readonly fresh: readonly string[];
}

export interface LinkWatchOptions {
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
