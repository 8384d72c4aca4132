import { cutFor, flagsOfPrewarmed, foldersToGrant, isInside, needsOwnFlags, textsOf } from './node-grants.ts';
import type { FramedProcess } from './framed-process.ts';
import type { Cut, GrantContext, GrantedFolders } from './node-grants.ts';
import type { Artifact } from './runtime.ts';

/**
 * One prewarmed process that has imported nothing yet, so that a reload does not wait for a start (30–60 ms). It holds no secrets:
 * only the common environment.
 *
 * What can go wrong: it cannot be started (no process waits; the next load reports the error); it dies while waiting (discarded;
 * the next load starts a new one, never a loop); it has no grant for a new folder (the load starts a fresh process); its
 * permissions exceed those of the extension (the child drops and verifies them before the import); it was prepared for another
 * extension (discarded; a fresh process is started).
 */
export interface PrewarmPool {
  /** Current folders of extensions; a prewarmed process without a grant for one of them is replaced. */
  prepare(folders: readonly string[]): void;
  /** Drops the permissions for this extension ahead of its load. */
  aim(artifact: Pick<Artifact, 'extension' | 'folder'>, permissions: readonly string[]): void;
  /** A process for this extension; null if there is none. */
  take(artifact: Artifact, permissions: readonly string[]): TakenProcess | null;
  /** Starts the next process after a delay: its start competes with the commit and the first call after a load. */
  replenishSoon(): void;
  close(): Promise<void>;
}

export interface TakenProcess {
  readonly process: FramedProcess;
  /** It has sent `hello`; otherwise its new owner receives it. */
  readonly isReady: boolean;
  readonly cut: Cut;
}

export interface PrewarmPoolOptions {
  readonly context: GrantContext;
  readonly start: (flags: readonly string[]) => FramedProcess;
}

interface PrewarmedProcess {
  readonly process: FramedProcess;
  readonly granted: GrantedFolders;
  isReady: boolean;
  /** What its permissions were reduced to; null while it suits all. */
  aim: string | null;
}

const ALREADY_CUT: Cut = { drops: [], mustNotHave: [] };

/** Longer than a commit and a first call; shorter than the time to a person's next save. */
const REPLENISH_AFTER_MS = 60;

export function createPrewarmPool({ context, start }: PrewarmPoolOptions): PrewarmPool {
  let folders: readonly string[] | null = null;
  let prewarmed: PrewarmedProcess | null = null;
  let isClosed = false;
  let timer: NodeJS.Timeout | null = null;
  const ending = new Set<Promise<unknown>>();

  const discard = (): void => {
    if (prewarmed === null) return;
    const { process } = prewarmed;
    prewarmed = null;
    process.kill('unwanted');
    const gone: Promise<unknown> = process.ended.finally(() => ending.delete(gone));
    ending.add(gone);
  };

  const startPrewarmed = (granted: GrantedFolders): FramedProcess | null => {
    try {
      return start(flagsOfPrewarmed(granted, context));
    } catch {
      return null;
    }
  };

  const replenish = (): void => {
    if (isClosed || prewarmed !== null || folders === null) return;
    const granted = new Map(folders.map((folder) => [folder, textsOf(folder)]));
    const process = startPrewarmed(granted);
    if (process === null) return;
    const next: PrewarmedProcess = { process, granted, isReady: false, aim: null };
    prewarmed = next;
    next.process.listen({
      onMessage(message) {
        if (message.type === 'hello') next.isReady = true;
        if (message.type === 'refused' && prewarmed === next) discard();
      },
      onEnd() {
        if (prewarmed === next) prewarmed = null;
      },
      onOutput: () => undefined,
      isAtWork: () => !next.isReady,
    });
  };

  const fits = ({ granted }: PrewarmedProcess, folder: string, permissions: readonly string[]): boolean =>
    !needsOwnFlags(permissions) && [context.workspaceRoot, ...granted.keys()].some((known) => isInside(folder, known));

  const mayRead = (artifact: Artifact): boolean => {
    return [context.programDir, context.workspaceRoot, artifact.folder].some((folder) => isInside(artifact.programFile, folder));
  };

  return {
    prepare(all) {
      const wanted = foldersToGrant(all, context.workspaceRoot);
      if (folders !== null && folders.length === wanted.length && folders.every((folder, at) => folder === wanted[at])) return replenish();
      folders = wanted;
      discard();
      replenish();
    },
    aim(artifact, permissions) {
      if (prewarmed === null || prewarmed.aim !== null || !fits(prewarmed, artifact.folder, permissions)) return;
      prewarmed.aim = aimOf(artifact, permissions);
      prewarmed.process.send({ type: 'cut', ...cutFor(artifact.folder, permissions, prewarmed.granted) });
    },
    take(artifact, permissions) {
      if (prewarmed === null || !fits(prewarmed, artifact.folder, permissions) || !mayRead(artifact)) return null;
      if (prewarmed.aim !== null && prewarmed.aim !== aimOf(artifact, permissions)) {
        discard();
        return null;
      }
      const known = prewarmed.granted.get(artifact.folder);
      // A link in its path has a new target.
      if (known !== undefined && known.join('\0') !== textsOf(artifact.folder).join('\0')) {
        discard();
        return null;
      }
      const taken = prewarmed;
      prewarmed = null;
      const cut = taken.aim === null ? cutFor(artifact.folder, permissions, taken.granted) : ALREADY_CUT;
      return { process: taken.process, isReady: taken.isReady, cut };
    },
    replenishSoon() {
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(() => {
        timer = null;
        replenish();
      }, REPLENISH_AFTER_MS);
      timer.unref();
    },
    async close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      discard();
      await Promise.all(ending);
    },
  };
}

/** Extensions with equal values may use the same process. */
function aimOf(artifact: Pick<Artifact, 'folder'>, permissions: readonly string[]): string {
  return JSON.stringify([artifact.folder, permissions]);
}
