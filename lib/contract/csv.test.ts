import { describe, expect, it } from 'vitest';
import { csvLine } from './csv.ts';

describe('a line of CSV', () => {
  it('quotes what would end a cell', () => {
    expect(csvLine(['plain', 'a,b', 'say "yes"', 'two\nlines', 3, null])).toBe('plain,"a,b","say ""yes""","two\nlines",3,\r\n');
  });

  it.each(['=cmd()', '+1', '-1', '@x', '\tx', '\rx', '\n=1', '＝1', '＋1', '－1', '＠x', ' =1', '\u00a0=1', '\ufeff=1', '\u200b@x'])(
    'keeps a spreadsheet from running %j',
    (text) => {
      const cell = `'${text}`;
      expect(csvLine([text])).toBe(`${/[\r\n]/.test(text) ? `"${cell}"` : cell}\r\n`);
    },
  );

  it('leaves numbers, and texts that only hold such signs', () => {
    expect(csvLine([-1, 'a=b', '(1)', "'=1", { a: -1 }, [], true, undefined])).toBe(`-1,a=b,(1),'=1,"{""a"":-1}",[],true,\r\n`);
  });
});
