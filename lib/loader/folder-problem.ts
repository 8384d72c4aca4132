import type { FolderProblem } from './scan.ts';

/**
 * What is wrong with the extensions folder itself: told once in the log when it begins and when it is over, and looked at again
 * until it is, as nothing may be told of a folder that is not there or cannot be read.
 */
export interface FolderWatch {
  current(): FolderProblem | null;
  /** What a look found. */
  note(problem: FolderProblem | null): void;
  close(): void;
}

export interface FolderWatchOptions {
  /** Whether somebody wants to be told of changes. */
  readonly looksAgain: boolean;
  log(level: 'error' | 'info', message: string): void;
  look(): void;
  /** It is there and can be read again. */
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
        log('info', 'EXTENSIONS_DIR can be read again');
        return onBack();
      }
      if (before?.reason !== next.reason) log('error', next.reason);
      if (looksAgain) timer ??= setInterval(look, LOOK_MS).unref();
    },
    close: stop,
  };
}
