import { statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOADED_MOST } from '../messages.ts';
import type { LoadedFile } from '../runtime.ts';

/**
 * Reports files that the process loads beside its program: through a computed specifier, through `createRequire`, and their
 * imports. Their facts are taken before they are read, so a save in between counts as a change.
 */
export interface LoadedFiles {
  /** Reports the files loaded so far; later ones are reported soon after loading. */
  flush(): void;
}

export function followLoads(ownFolders: readonly string[], report: (files: readonly LoadedFile[]) => void): LoadedFiles {
  const seen = new Set<string>();
  let unreported: LoadedFile[] = [];
  let isReporting = false;
  let waiting: NodeJS.Immediate | null = null;

  const flush = (): void => {
    waiting = null;
    if (unreported.length > 0) report(unreported);
    unreported = [];
  };

  const note = (url: string): void => {
    if (seen.has(url) || seen.size >= LOADED_MOST || !url.startsWith('file:')) return;
    const path = fileURLToPath(url);
    if (!ownFolders.some((folder) => path.startsWith(folder + sep)) || path.split(sep).includes('node_modules')) return;
    seen.add(url);
    const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (facts?.isFile() !== true) return;
    unreported.push({
      path,
      size: Number(facts.size),
      mtimeNs: String(facts.mtimeNs),
      ctimeNs: String(facts.ctimeNs),
      ino: String(facts.ino),
    });
    if (isReporting) waiting ??= setImmediate(flush);
  };

  registerHooks({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context);
      try {
        note(found.url);
      } catch {
        // Load the file even if it cannot be reported.
      }
      return found;
    },
  });

  return {
    flush() {
      isReporting = true;
      flush();
    },
  };
}
