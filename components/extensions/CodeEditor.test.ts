import { EditorState, type TransactionSpec } from '@codemirror/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileText, lineEnds, replaceLineEnds, withoutLineEnds } from './CodeEditor.tsx';

function open(text: string): EditorState {
  const empty = EditorState.create({ doc: '', extensions: [lineEnds] });
  return empty.update({ changes: { from: 0, insert: withoutLineEnds(text) }, effects: replaceLineEnds.of(text) }).state;
}

const edited = (text: string, ...edits: TransactionSpec[]): string =>
  fileText(edits.reduce((state, edit) => state.update(edit).state, open(text)));

describe('line ends', () => {
  it.each(['', 'a', 'a\nb\n', 'a\r\nb\r\n', 'a\rb\r', 'a\r\nb\nc\rd', '\uFEFFa\r\nb', '\uFEFF'])(
    'are unchanged without edits: %j',
    (text) => {
      expect(fileText(open(text))).toBe(text);
    },
  );

  it.each([
    ['\n', '\n'],
    ['\r\n', '\r\n'],
    ['\r', '\r'],
  ])('of new lines are %j in a file with only those', (_, end) => {
    expect(edited(`a${end}b${end}`, { changes: { from: 1, insert: '\nx\ny' } })).toBe(`a${end}x${end}y${end}b${end}`);
  });

  it('of new lines follow the surrounding lines in a file with mixed ones', () => {
    expect(edited('a\r\nb\nc\r\nd\re', { changes: { from: 4, to: 6, insert: 'C\nD' } })).toBe('a\r\nb\nC\r\nDd\re');
    expect(edited('a\r\nb\nc\r\nd\re', { changes: { from: 1, to: 2 } })).toBe('ab\nc\r\nd\re');
    const twice = {
      changes: [
        { from: 0, insert: 'x\n' },
        { from: 8, insert: '!' },
      ],
    };
    expect(edited('a\r\nb\nc\r\nd\re', twice)).toBe('x\r\na\r\nb\nc\r\nd\r!e');
  });

  it('stay after the byte order mark when text is inserted at the start', () => {
    expect(edited('\uFEFFa\r\n', { changes: { from: 0, insert: 'b' } })).toBe('\uFEFFba\r\n');
    expect(edited('\uFEFFa', { changes: { from: 0, to: 1 } })).toBe('\uFEFF');
  });

  it('match the number of lines in the document after any edits', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', '\n', '\r', '\r\n'), { maxLength: 12 }).map((parts) => parts.join(''));
    const edits = fc.array(fc.record({ at: fc.nat(), length: fc.nat(4), insert: lines }), { maxLength: 5 });
    fc.assert(
      fc.property(lines, edits, (text, all) => {
        let state = open(text);
        for (const { at, length, insert } of all) {
          const from = at % (state.doc.length + 1);
          state = state.update({ changes: { from, to: Math.min(state.doc.length, from + length), insert } }).state;
        }
        expect(withoutLineEnds(fileText(state))).toBe(state.doc.toString());
        expect(state.field(lineEnds).each?.length ?? state.doc.lines - 1).toBe(state.doc.lines - 1);
      }),
    );
  });
});
