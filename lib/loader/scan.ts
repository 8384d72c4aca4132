import type { ExtensionKind, ExtensionRuntime } from '#lib/contract/extension.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import type { Candidate } from './build.ts';

export interface FailedCandidate {
  readonly id: string;
  readonly kind: ExtensionKind;
  readonly runtime: ExtensionRuntime;
  /** Absolute path of the folder or file that the failure is about. */
  readonly path: string;
  readonly failure: RawFailure;
}

/** What is in the extensions folder at one moment. */
export interface Scan {
  readonly candidates: readonly Candidate[];
  readonly failed: readonly FailedCandidate[];
}
