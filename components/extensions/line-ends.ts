import { StateEffect, StateField } from '@codemirror/state';
import type { EditorState, Transaction } from '@codemirror/state';

/**
 * The editor joins lines with a line feed and would show a byte order mark as a character. A file keeps both: what ended each of
 * its lines, and the mark, are stored beside the text, and put back in what is saved.
 */
export interface LineEnds {
  readonly mark: string;
  /** What ends most lines, and lines that are new. */
  readonly usual: string;
  /** For each line but the last; null where all are the usual one. */
  readonly each: readonly string[] | null;
}

const LINE_END = /\r\n|\r|\n/g;
const MARK = '\uFEFF';

export function readLineEnds(text: string): LineEnds {
  const found = text.match(LINE_END) ?? [];
  const counts = Map.groupBy(found, (end) => end);
  const [usual = '\n'] = [...counts].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
  return { mark: text.startsWith(MARK) ? MARK : '', usual, each: counts.size > 1 ? found : null };
}

/** The text as the editor has it. */
export function withoutLineEnds(text: string): string {
  return text.slice(readLineEnds(text).mark.length).replaceAll(LINE_END, '\n');
}

/** Gives the line ends of another text that takes the place of the whole document. */
export const replaceLineEnds = StateEffect.define<string>();

export const lineEnds = StateField.define<LineEnds>({
  create: () => readLineEnds(''),
  update(ends, transaction) {
    const replaced = transaction.effects.find((effect) => effect.is(replaceLineEnds));
    if (replaced !== undefined) return readLineEnds(replaced.value);
    return ends.each === null || !transaction.docChanged ? ends : { ...ends, each: moved(ends.each, ends.usual, transaction) };
  },
});

/** What is saved of a document. */
export function fileText(state: EditorState): string {
  const { mark, usual, each } = state.field(lineEnds);
  const text = state.doc.toString();
  if (each === null) return mark + (usual === '\n' ? text : text.replaceAll('\n', usual));
  let whole = mark;
  for (const [at, line] of text.split('\n').entries()) {
    const end = at === 0 ? '' : (each[at - 1] ?? usual);
    // The two would be one end of one line.
    whole += (end === '\n' && whole.endsWith('\r') ? '\r' : end) + line;
  }
  return whole;
}

function moved(each: readonly string[], usual: string, { changes, startState }: Transaction): readonly string[] {
  const next: string[] = [];
  let from = 0;
  changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
    next.push(...each.slice(from, startState.doc.lineAt(fromA).number - 1), ...Array<string>(inserted.lines - 1).fill(usual));
    from = startState.doc.lineAt(toA).number - 1;
  });
  return [...next, ...each.slice(from)];
}
