import { cutFor, flagsOfSpare, foldersToGrant, isInside, needsOwnFlags, textsOf } from './node-grants.ts';
import type { FramedProcess } from './framed-process.ts';
import type { Cut, GrantContext, GrantedFolders } from './node-grants.ts';
import type { Artifact } from './runtime.ts';

/**
 * One process that has started and imported nothing yet, so that a reload does not wait for a start (30–60 ms). It holds
 * no secrets: only the common environment.
 *
 * What can go wrong: it cannot be started (then nothing waits; the next load meets the same and tells it); it dies while it
 * waits (it is thrown away, a new one comes with the next load, never in a loop); it
 * does not know a folder that is new (the load starts a fresh process instead); its rights are wider than its extension
 * may have (they are dropped and asked for again before anything is imported, in the child); it was cut ahead for an
 * extension and another comes (it is thrown away, a fresh process runs the other).
 */
export interface SparePool {
  /** Folders that extensions have now; a spare that does not know one of them is replaced. */
  prepare(folders: readonly string[]): void;
  /** Cuts it for this extension ahead of the load, which then need not wait for that. */
  aim(artifact: Pick<Artifact, 'extension' | 'folder'>, permissions: readonly string[]): void;
  /** A process that fits this extension once it is cut; null when there is none. */
  take(artifact: Artifact, permissions: readonly string[]): TakenSpare | null;
  /** Starts the next spare a moment later: a start takes the processor from the commit and the first call that follow a load. */
  replenishSoon(): void;
  close(): Promise<void>;
}

export interface TakenSpare {
  readonly process: FramedProcess;
  /** It has said hello; one that is still starting says it to its new owner. */
  readonly isReady: boolean;
  readonly cut: Cut;
}

export interface SparePoolOptions {
  readonly context: GrantContext;
  readonly start: (flags: readonly string[]) => FramedProcess;
}

interface Spare {
  readonly process: FramedProcess;
  readonly granted: GrantedFolders;
  isReady: boolean;
  /** What it was cut to; null while it fits all. */
  aim: string | null;
}

const ALREADY_CUT: Cut = { drops: [], mustNotHave: [] };

/** Longer than a commit and a first call take; shorter than a person needs for the next save. */
const REPLENISH_AFTER_MS = 60;

export function createSparePool({ context, start }: SparePoolOptions): SparePool {
  let folders: readonly string[] | null = null;
  let spare: Spare | null = null;
  let isClosed = false;
  let timer: NodeJS.Timeout | null = null;
  const ending = new Set<Promise<unknown>>();

  const discard = (): void => {
    if (spare === null) return;
    const { process } = spare;
    spare = null;
    process.kill('unwanted');
    const gone: Promise<unknown> = process.ended.finally(() => ending.delete(gone));
    ending.add(gone);
  };

  const startSpare = (granted: GrantedFolders): FramedProcess | null => {
    try {
      return start(flagsOfSpare(granted, context));
    } catch {
      return null;
    }
  };

  const replenish = (): void => {
    if (isClosed || spare !== null || folders === null) return;
    const granted = new Map(folders.map((folder) => [folder, textsOf(folder)]));
    const process = startSpare(granted);
    if (process === null) return;
    const next: Spare = { process, granted, isReady: false, aim: null };
    spare = next;
    next.process.listen({
      onMessage(message) {
        if (message.type === 'hello') next.isReady = true;
        if (message.type === 'refused' && spare === next) discard();
      },
      onEnd() {
        if (spare === next) spare = null;
      },
      onOutput: () => undefined,
    });
  };

  const fits = ({ granted }: Spare, folder: string, permissions: readonly string[]): boolean =>
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
      if (spare === null || spare.aim !== null || !fits(spare, artifact.folder, permissions)) return;
      spare.aim = aimOf(artifact, permissions);
      spare.process.send({ type: 'cut', ...cutFor(artifact.folder, permissions, spare.granted) });
    },
    take(artifact, permissions) {
      if (spare === null || !fits(spare, artifact.folder, permissions) || !mayRead(artifact)) return null;
      if (spare.aim !== null && spare.aim !== aimOf(artifact, permissions)) {
        discard();
        return null;
      }
      const known = spare.granted.get(artifact.folder);
      // A link on the way to its folder leads elsewhere since.
      if (known !== undefined && known.join('\0') !== textsOf(artifact.folder).join('\0')) {
        discard();
        return null;
      }
      const taken = spare;
      spare = null;
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

/** Two that have the same may use a process that was cut for the other. */
function aimOf(artifact: Pick<Artifact, 'folder'>, permissions: readonly string[]): string {
  return JSON.stringify([artifact.folder, permissions]);
}
