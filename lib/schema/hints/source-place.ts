/** A place in a source; both count from 1, the column in UTF-16 units. */
export interface SourcePlace {
  readonly line: number;
  readonly column: number;
}

export function placeAt(source: string, offset: number): SourcePlace {
  const lines = source.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
