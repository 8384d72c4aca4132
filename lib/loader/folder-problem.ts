import type { FolderProblem } from './scan.ts';

/**
 * A problem with the extensions folder itself: logged once when it begins and once when it ends. The folder is scanned
 * again until then, because a missing or unreadable folder may raise no events.
 */
export interface FolderWatch {
  current(): FolderProblem | null;
  /** The result of a scan. */
  note(problem: FolderProblem | null): void;
  close(): void;
}

export interface FolderWatchOptions {
  /** Whether the folder is watched. */
  readonly looksAgain: boolean;
  log(level: 'error' | 'info', message: string): void;
  look(): void;
  /** It exists and is readable again. */
  onBack(): void;
}

const LOOK_MS = 1_000;

export function createFolderWatch({ looksAgain, log, look, onBack }: FolderWatchOptions): FolderWatch {
  let problem: FolderProblem | null = null;
  let timer: NodeJS.Timeout | null = null;

  function stop(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  return {
    current: () => problem,
    note(next) {
      const before = problem;
      problem = next;
      if (next === null) {
        stop();
        if (before === null) return;
        log('info', 'EXTENSIONS_DIR is readable again');
        return onBack();
      }
      if (before?.reason !== next.reason) log('error', next.reason);
      if (looksAgain) timer ??= setInterval(look, LOOK_MS).unref();
    },
    close: stop,
  };
}
