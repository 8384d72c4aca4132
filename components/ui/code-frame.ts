export interface FrameLine {
  readonly number: number;
  readonly code: string;
  readonly marked: boolean;
}

export interface ParsedFrame {
  readonly lines: readonly FrameLine[];
  /** Characters before the caret in the marked line; null for none. */
  readonly caret: number | null;
}

const SOURCE = /^(>?)\s*(\d+) \|(?: (.*))?$/;
const CARET = /^\s*\| (\s*)\^/;

/** Parses `  3 | code` lines with the marked line and its caret; null for other texts. */
export function parseCodeFrame(text: string): ParsedFrame | null {
  const lines: FrameLine[] = [];
  let caret: number | null = null;
  for (const line of text.split('\n')) {
    const source = SOURCE.exec(line);
    if (source !== null) {
      lines.push({ number: Number(source[2]), code: source[3] ?? '', marked: source[1] === '>' });
      continue;
    }
    const mark = CARET.exec(line);
    if (mark !== null) caret = mark[1]?.length ?? 0;
    else if (line.trim() !== '') return null;
  }
  return lines.length === 0 ? null : { lines, caret };
}
