import path from 'node:path';
import type { ExtensionKind, ExtensionRuntime } from '#lib/contract/extension.ts';
import type { ExtensionPlace } from '#lib/registry/snapshot.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import type { Candidate } from './build.ts';

export interface FailedCandidate extends ExtensionPlace {
  readonly id: string;
  readonly kind: ExtensionKind;
  readonly runtime: ExtensionRuntime;
  readonly failure: RawFailure;
  /** An unreadable file with many servers: its servers are unknown, not removed. */
  readonly isList?: true;
}

/** The problem with the extensions folder itself. */
export interface FolderProblem {
  /** `absent`: it does not exist, so it has no extensions. `unreadable`: its content is unknown. */
  readonly kind: 'absent' | 'unreadable';
  readonly reason: string;
}

/** The items of a part of the extensions folder. */
export interface Found {
  readonly candidates: readonly Candidate[];
  readonly failed: readonly FailedCandidate[];
  /** Disabled by their own file: listed, never loaded. */
  readonly leftOut: readonly Candidate[];
}

/** The items of the extensions folder at one moment. */
export interface Scan extends Found {
  readonly folder: FolderProblem | null;
}

/**
 * A problem with the extensions folder itself: logged once when it begins and once when it ends. The folder is scanned
 * again until then, because a missing or unreadable folder may raise no events.
 */
interface FolderWatch {
  current(): FolderProblem | null;
  /** The result of a scan. */
  note(problem: FolderProblem | null): void;
  close(): void;
}

interface FolderWatchOptions {
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

/**
 * Parts of the extensions folder: a top-level item, or an item in `tools` or `channels`. Watcher events identify the
 * parts that may have changed, so that a scan after a save need not read the others. A set of parts may also name all of `tools` or
 * `channels`.
 */
const RESERVED = new Set(['tools', 'channels']);

/** Null for a path outside of the folder, and for the folder itself. */
export function partOf(extensionsDir: string, file: string): string | null {
  const [top = '', below] = path.relative(extensionsDir, file).split(path.sep, 2);
  if (top === '' || top === '..' || path.isAbsolute(top)) return null;
  return RESERVED.has(top) && below !== undefined ? `${top}/${below}` : top;
}

/** Null: any part may have changed. */
export function touchedParts(extensionsDir: string, files: readonly string[]): ReadonlySet<string> | null {
  if (files.length === 0) return null;
  const parts = new Set<string>();
  for (const file of files) {
    const part = partOf(extensionsDir, file);
    if (part === null || RESERVED.has(part)) return null;
    parts.add(part);
  }
  return parts;
}

/** The item at the top of the folder. */
export function topOf(part: string): string {
  return part.split('/', 1)[0] ?? part;
}
