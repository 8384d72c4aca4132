import { LINE_END } from '#lib/schema/hints/source-place.ts';

const AROUND = 2;
const LINE_MOST = 200;

/** Characters that move the cursor, colour a terminal or reverse the reading order. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const TAB = '  ';

/**
 * The source lines around a fault: two before, two after, the line itself marked with `>` and a caret below its column.
 * `line` and `column` count from 1, columns in UTF-16 units. Plain text, safe to print: control characters are escaped.
 */
export function codeFrame(source: string, line: number, column: number, lineEnd = LINE_END): string {
  const lines = source.split(lineEnd);
  const at = Math.min(Math.max(1, line), lines.length);
  const first = Math.max(1, at - AROUND);
  const last = Math.min(lines.length, at + AROUND);
  const width = String(last).length;
  const shown: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const text = lines[number - 1] ?? '';
    const gutter = `${number === at ? '>' : ' '} ${String(number).padStart(width)} |`;
    if (number !== at) {
      shown.push(`${gutter} ${show(cutAround(text, 0).text).text}`.trimEnd());
      continue;
    }
    const cut = cutAround(text, Math.min(Math.max(1, column), text.length + 1) - 1);
    const before = show(cut.text.slice(0, cut.offset));
    shown.push(
      `${gutter} ${before.text}${show(cut.text.slice(cut.offset)).text}`.trimEnd(),
      `  ${' '.repeat(width)} | ${' '.repeat(before.width)}^`,
    );
  }
  return shown.join('\n');
}

/** At most LINE_MOST characters of a line, including `offset`; an ellipsis marks omitted text. */
function cutAround(text: string, offset: number): { readonly text: string; readonly offset: number } {
  if (text.length <= LINE_MOST) return { text, offset };
  const start = Math.max(0, Math.min(offset - LINE_MOST / 2, text.length - LINE_MOST));
  const end = Math.min(text.length, start + LINE_MOST);
  const head = start > 0 ? '…' : '';
  return { text: `${head}${text.slice(start, end)}${end < text.length ? '…' : ''}`.toWellFormed(), offset: offset - start + head.length };
}

/** A printable piece of a line and its width in cells. */
function show(text: string): { readonly text: string; readonly width: number } {
  let printed = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    if (segment === '\t') {
      printed += TAB;
      width += TAB.length;
    } else if (CONTROL.test(segment)) {
      const escaped = segment.replaceAll(new RegExp(CONTROL, 'g'), escape);
      printed += escaped;
      width += escaped.length;
    } else {
      printed += segment;
      width += WIDE.test(segment) ? 2 : 1;
    }
  }
  return { text: printed, width };
}

function escape(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
}
