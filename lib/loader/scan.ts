import type { ExtensionKind, ExtensionRuntime } from '#lib/contract/extension.ts';
import type { ExtensionPlace } from '#lib/registry/snapshot.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import type { Candidate } from './build.ts';

export interface FailedCandidate extends ExtensionPlace {
  readonly id: string;
  readonly kind: ExtensionKind;
  readonly runtime: ExtensionRuntime;
  readonly failure: RawFailure;
}

/** What was wrong with the extensions folder itself. */
export interface FolderProblem {
  /** `absent`: it is not there, and so is nothing that was in it. `unreadable`: what is in it is not known. */
  readonly kind: 'absent' | 'unreadable';
  readonly reason: string;
}

/** What is in a part of the extensions folder. */
export interface Found {
  readonly candidates: readonly Candidate[];
  readonly failed: readonly FailedCandidate[];
  /** Whose own file says that they are disabled: shown, and never loaded. */
  readonly leftOut: readonly Candidate[];
}

/** What is in the extensions folder at one moment. */
export interface Scan extends Found {
  readonly folder: FolderProblem | null;
}
