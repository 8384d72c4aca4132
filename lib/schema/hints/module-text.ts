import { parseSync } from 'oxc-parser';
import type { Comment, Program } from 'oxc-parser';

/** One source as the reading of hints sees it. */
export interface ModuleText {
  /** Absolute. */
  readonly path: string;
  readonly source: string;
  readonly body: Program['body'];
  readonly comments: readonly Comment[];
  /** In JavaScript the types stand in doc comments. */
  readonly isJavaScript: boolean;
  /** The first thing that is no valid syntax. */
  readonly error: { readonly message: string; readonly offset: number } | null;
}

export function parseModule(path: string, source: string): ModuleText {
  const { program, comments, errors } = parseSync(path, source, { sourceType: 'unambiguous' });
  const [error] = errors;
  return {
    path,
    source,
    body: program.body,
    comments,
    isJavaScript: /\.[cm]?jsx?$/.test(path),
    error: error === undefined ? null : { message: error.message, offset: error.labels[0]?.start ?? 0 },
  };
}
