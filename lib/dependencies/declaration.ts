import { createHash } from 'node:crypto';
import type { SourceRead } from '#lib/loader/source-reader.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';

/** The dependencies that an extension declares, read from the standard files of its ecosystem. */
export interface Declaration {
  readonly ecosystem: Ecosystem;
  /** The declaring file; absolute. */
  readonly file: string;
  /** First line of the declaration, from 1. */
  readonly line: number;
  readonly requirements: readonly Requirement[];
  /** Versions of Python, such as `>=3.11`. */
  readonly requiresPython: string | null;
  /** The installer's input: file name → text. */
  readonly files: Readonly<Record<string, string>>;
  /** Exact versions of all packages of an install, when a lock file lists them. */
  readonly locked: readonly InstalledPackage[] | null;
  /** Folder whose installed packages satisfy the declaration, so that no install is needed. */
  readonly own: string | null;
}

export type Ecosystem = 'python' | 'node';

export interface Requirement {
  readonly name: string;
  /** As declared, such as `requests>=2.31` or `lodash@^4`. */
  readonly text: string;
}

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
}

/** `address`: the URL of its file; null if unknown. */
export interface ResolvedPackage extends InstalledPackage {
  readonly address: string | null;
}

/** `missing`: files that would change the declaration if they appeared. */
export type ReadDeclaration =
  | { readonly ok: true; readonly declaration: Declaration | null; readonly missing: readonly string[] }
  | { readonly ok: false; readonly failure: RawFailure; readonly missing: readonly string[] };

/** Reads a file through the build, so that it is a source of the extension. */
export type ReadFile = (file: string) => Promise<SourceRead>;

/** `index`: packages of the configured index only. `any`: also URLs, repositories and local paths. */
export const DEPENDENCY_SOURCES = ['index', 'any'] as const;
export type DependencySources = (typeof DEPENDENCY_SOURCES)[number];

/** One set of declared dependencies for one platform: equal keys need the same environment. */
export function declarationKey({ ecosystem, files, requiresPython }: Declaration, platform: readonly string[]): string {
  return hashOf([ecosystem, requiresPython, Object.entries(files).toSorted(([one], [other]) => (one < other ? -1 : 1)), platform]);
}

/** The first 32 hexadecimal digits of a SHA-256. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}

export function notAllowed(file: string, line: number, message: string, hint: string): RawFailure {
  return { code: 'dependencies_failed', message, hint, file, line };
}

export function sourceNotAllowed(file: string, line: number, text: string): RawFailure {
  return notAllowed(
    file,
    line,
    `“${text.slice(0, 120)}” does not come from the package index.`,
    'Addresses, repositories and paths are installed only when the server runs with EXTENSION_DEPENDENCY_SOURCES=any. Otherwise name a package of the index.',
  );
}
