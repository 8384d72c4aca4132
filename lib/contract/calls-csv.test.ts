import { describe, expect, it } from 'vitest';
import { csvLine } from './calls-csv.ts';

describe('a line of CSV', () => {
  it('quotes what would end a cell', () => {
    expect(csvLine(['plain', 'a,b', 'say "yes"', 'two\nlines', 3, null])).toBe('plain,"a,b","say ""yes""","two\nlines",3,\r\n');
  });

  it('keeps a spreadsheet from running a text', () => {
    expect(csvLine(['=cmd()', '+1', '-1', '@x', '\tx', -1])).toBe("'=cmd(),'+1,'-1,'@x,'\tx,-1\r\n");
  });
});
