import type { Artifact, RawFailure } from '#lib/runtime/runtime.ts';

/** A file or folder that may be an extension; found by the scanner, not loaded yet. Paths absolute. */
export interface Candidate {
  readonly id: string;
  readonly kind: Artifact['kind'];
  readonly runtime: Artifact['runtime'];
  readonly folder: string;
  readonly entryFile: string;
}

/** An input file of a build, with the metadata that shows a change without reading it: size, and times in ns. */
export interface BuildInput {
  readonly path: string;
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly ino: string;
}

export type BuildOutcome =
  | {
      readonly ok: true;
      readonly artifact: Artifact;
      /** Its program was not in the folder: this server never loaded it, though another one may have. */
      readonly isNew: boolean;
      /** Every source file of the build (helpers and the folder's `.env` included, packages excluded). */
      readonly inputs: readonly BuildInput[];
      /** Path relative to the extensions folder → text; `.env` is hashed but never stored. */
      readonly sources: Readonly<Record<string, string>>;
      /**
       * Absolute paths of missing files that would change the build if they appeared (the folder's `.env`, optional
       * imports).
       */
      readonly missing: readonly string[];
      /** What it imports that can be installed: package folders for Node, module names for Python. */
      readonly uses: readonly string[];
    }
  | {
      readonly ok: false;
      readonly failure: RawFailure;
      /** Hash over the readable sources, so that a failed version has a revision too. */
      readonly contentHash: string;
      readonly inputs: readonly BuildInput[];
      readonly sources: Readonly<Record<string, string>>;
      /** Absolute paths that were not found; when one appears, the build is retried. */
      readonly missing: readonly string[];
    };

export interface Builder {
  /** @param stored texts of an earlier revision by relative path, in place of the files */
  build(candidate: Candidate, stored?: Readonly<Record<string, string>>): Promise<BuildOutcome>;
  /**
   * Whether a recorded program lies in this builder's folder. Otherwise it was built for a data folder elsewhere (this
   * one is a copy), refers to files there, and must be built again.
   */
  isOwn(programFile: string): boolean;
  close(): Promise<void>;
}

/** Installed versions of a build's dependencies, by name; missing and built-in ones are omitted. Never rejects. */
export type PackagesOf = (candidate: Candidate, uses: readonly string[]) => Promise<Readonly<Record<string, string>>>;
