import type { Comment, Program } from 'oxc-parser';
import type { FailureCode } from '#lib/contract/failure-codes.ts';
import { NESTED_MOST, parseSource } from '../parse-source.ts';
import { placeAt } from './source-place.ts';

/** A parsed source module. */
export interface ModuleText {
  /** Absolute. */
  readonly path: string;
  readonly source: string;
  readonly body: Program['body'];
  readonly comments: readonly Comment[];
  /** In JavaScript types are in doc comments. */
  readonly isJavaScript: boolean;
  /** The first syntax error. */
  readonly error: { readonly message: string; readonly offset: number } | null;
  /** Enclosing module of a namespace, for names that it does not declare. */
  readonly outer?: ModuleText;
}

export function parseModule(path: string, source: string): ModuleText {
  const isJavaScript = /\.[cm]?jsx?$/.test(path);
  const parsed = parseSource(path, source, { sourceType: 'unambiguous' });
  if (parsed === null) {
    const error = { message: `The file is nested more than ${NESTED_MOST} levels deep; types are not read from it`, offset: 0 };
    return { path, source, body: [], comments: [], isJavaScript, error };
  }
  const { program, comments, errors } = parsed;
  const [error] = errors;
  return {
    path,
    source,
    body: program.body,
    comments,
    isJavaScript,
    error: error === undefined ? null : { message: error.message, offset: error.labels[0]?.start ?? 0 },
  };
}

/** Aborts the reading of type hints from any depth; `readRun` catches it and returns a failure. Internal to this folder. */
export class HintFault extends Error {
  readonly code: FailureCode;
  readonly hint: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Absolute paths of missing files. */
  readonly missing: readonly string[];

  constructor(
    code: FailureCode,
    message: string,
    hint: string,
    at: { readonly module: ModuleText; readonly offset: number },
    missing: readonly string[] = [],
  ) {
    super(message);
    const { line, column } = placeAt(at.module.source, at.offset);
    this.code = code;
    this.hint = hint;
    this.file = at.module.path;
    this.line = line;
    this.column = column;
    this.missing = missing;
  }
}
