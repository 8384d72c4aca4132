import type { FailureCode } from '#lib/contract/failure-codes.ts';
import type { ModuleText } from './module-text.ts';
import { placeAt } from './source-place.ts';

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
