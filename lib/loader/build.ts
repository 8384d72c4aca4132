import type { Artifact, RawFailure } from '#lib/runtime/runtime.ts';

/** A file or folder that may be an extension; found by the scanner, not loaded yet. Paths absolute. */
export interface Candidate {
  readonly id: string;
  readonly kind: Artifact['kind'];
  readonly runtime: Artifact['runtime'];
  readonly folder: string;
  readonly entryFile: string;
}

/** A file that went into a build, with what tells a change of it without reading: size, and times in ns. */
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
      /** Every source file it was built from (helpers and the folder's `.env` included; packages not). */
      readonly inputs: readonly BuildInput[];
      /** relative to the extensions folder → text; `.env` is hashed but never kept. */
      readonly sources: Readonly<Record<string, string>>;
      /** Absolute paths that are not there and would change the build if they appeared (the folder's `.env`, optional imports). */
      readonly missing: readonly string[];
      /** What it imports that may be installed: folders of packages for Node, names of modules for Python. */
      readonly uses: readonly string[];
    }
  | {
      readonly ok: false;
      readonly failure: RawFailure;
      /** Hash over the sources that could be read, so that a failed content has its revision too. */
      readonly contentHash: string;
      readonly inputs: readonly BuildInput[];
      readonly sources: Readonly<Record<string, string>>;
      /** Absolute paths that were looked for and are not there; when one appears the build is worth another try. */
      readonly missing: readonly string[];
    };

export interface Builder {
  build(candidate: Candidate): Promise<BuildOutcome>;
  /**
   * Whether a program on record lies where this builder writes. One that does not was built for a data folder at another place
   * (this one is a copy of it), names files there, and has to be built anew.
   */
  isOwn(programFile: string): boolean;
  close(): Promise<void>;
}

/** Installed versions of what a build uses, by name; what is not installed, or comes with the language, is left out. Never rejects. */
export type PackagesOf = (candidate: Candidate, uses: readonly string[]) => Promise<Readonly<Record<string, string>>>;
