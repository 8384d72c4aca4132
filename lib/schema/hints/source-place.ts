/** A location in a source; both count from 1, the column in UTF-16 units. */
export interface SourcePlace {
  readonly line: number;
  readonly column: number;
}

/** Line terminators of TypeScript and JavaScript. */
export const LINE_END = /\r\n|[\n\r\u2028\u2029]/;
/** Line terminators of Python and JSON. */
export const PLAIN_LINE_END = /\r\n|[\n\r]/;

export function placeAt(source: string, offset: number, lineEnd = LINE_END): SourcePlace {
  const lines = source.slice(0, offset).split(lineEnd);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
