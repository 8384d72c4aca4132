import type { Candidate } from './build.ts';
import { NOTHING_LOADED } from './loaded-files.ts';
import type { LoadResult } from './load-candidate.ts';

/** The bundle or the database could not be written: an ordinary failure, retried by a reload. */
export function unwritable(candidate: Candidate, error: unknown): LoadResult {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    kind: 'failed',
    contentHash: null,
    failure: {
      code: 'spawn_failed',
      message: `The program of ${candidate.id} could not be written: ${reason}`,
      hint: 'Check the space and the permissions of DATA_DIR, then press Reload.',
      file: candidate.entryFile,
    },
    build: null,
    inputs: [],
    missing: [],
    sources: {},
    loaded: NOTHING_LOADED,
  };
}
