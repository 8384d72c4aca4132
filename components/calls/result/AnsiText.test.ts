import { describe, expect, it } from 'vitest';
import { parseAnsi, withoutAnsi } from './AnsiText.tsx';

const ESC = '\u001b';
const runs = (text: string) => parseAnsi(text).map(({ text: words, className }) => [words, className]);

describe('terminal colours', () => {
  it.each([
    [
      `${ESC}[31mred${ESC}[0m plain`,
      [
        ['red', 'text-failed'],
        [' plain', ''],
      ],
    ],
    [
      `${ESC}[1;32mbold${ESC}[22m not`,
      [
        ['bold', 'text-ok font-semibold'],
        [' not', 'text-ok'],
      ],
    ],
    [
      `${ESC}[38;5;196mred${ESC}[39mno`,
      [
        ['red', 'text-failed'],
        ['no', ''],
      ],
    ],
    [`${ESC}[38;2;0;0;255mblue${ESC}[m`, [['blue', 'token-function']]],
    [`${ESC}[41mground${ESC}[49m`, [['ground', 'bg-failed-soft text-fg']]],
    [`${ESC}[93mbright`, [['bright', 'text-degraded']]],
    [`${ESC}[8mhidden`, [['hidden', '']]],
    [`${ESC}[4;9mboth`, [['both', '[text-decoration-line:underline_line-through]']]],
    [`${ESC}[9;4;3mthree`, [['three', 'italic [text-decoration-line:underline_line-through]']]],
    [
      `${ESC}[7minverse${ESC}[27m not`,
      [
        ['inverse', 'bg-fg text-panel'],
        [' not', ''],
      ],
    ],
    [`${ESC}[1;31;7mbold red`, [['bold red', 'bg-failed text-panel font-semibold']]],
    [`${ESC}[34;43;7mof two colours`, [['of two colours', 'bg-(--token-function) text-panel']]],
    [`${ESC}[2;7mdim`, [['dim', 'bg-fg text-panel']]],
    [
      `${ESC}[2mdim${ESC}[3;22m italic${ESC}[23m`,
      [
        ['dim', 'text-muted'],
        [' italic', 'italic'],
      ],
    ],
    [
      `${ESC}[38;5;244mgrey${ESC}[48;5;21m ground`,
      [
        ['grey', 'text-fg'],
        [' ground', 'bg-running-soft text-fg'],
      ],
    ],
    [`${ESC}[38;5;214morange`, [['orange', 'text-degraded']]],
    [`${ESC}[38:2::255:0:0mred`, [['red', 'text-failed']]],
    [`${ESC}[38:2:255:0:0mred`, [['red', 'text-failed']]],
    [`${ESC}[38:5:2;1mgreen`, [['green', 'text-ok font-semibold']]],
    [
      `${ESC}[4:3mcurly${ESC}[4:0m not`,
      [
        ['curly', 'underline'],
        [' not', ''],
      ],
    ],
    [
      `${ESC}[4;58;2;255;0;9munder${ESC}[58:5:1m it`,
      [
        ['under', 'underline'],
        [' it', 'underline'],
      ],
    ],
  ])('are parsed from %j', (text, expected) => {
    expect(runs(text)).toEqual(expected);
  });

  it.each([
    ['a link', `${ESC}]8;;javascript:alert(1)${ESC}\\words${ESC}]8;;${ESC}\\`, 'words'],
    ['a title', `${ESC}]0;title\u0007words`, 'words'],
    ['a title without an end', `${ESC}]0;title\nwords`, '\nwords'],
    ['clearing and moving', `a${ESC}[2J${ESC}[10;20Hb${ESC}[?25lc`, 'abc'],
    ['a device control string', `${ESC}P1;2|evil${ESC}\\words`, 'words'],
    ['an 8-bit sequence', `\u009b31mwords\u009d0;t\u009c`, 'words'],
    ['an incomplete sequence', `words${ESC}[`, 'words'],
    ['a lone escape', `wo${ESC}`, 'wo'],
  ])('drops %s', (_, text, expected) => {
    expect(withoutAnsi(text)).toBe(expected);
  });

  it('keeps other control characters, and normalizes line ends', () => {
    expect(withoutAnsi('a\u0000b\u0007c\u0008d')).toBe('a\u0000b\u0007c\u0008d');
    expect(withoutAnsi('a\r\nb\rc\nd\te')).toBe('a\nb\nc\nd\te');
  });
});
