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
