import { describe, expect, it } from 'vitest';
import { bytesOf, bytesOfValue, sizeInWords } from '#components/ui/numbers.ts';
import { fileName } from './ResultControls.tsx';
import { viewsOf } from './ResultView.tsx';
import { looksLikeMarkdown } from './text-format.ts';

describe('the views of a result', () => {
  it.each([
    ['plain words', ['text']],
    ['{"a": 1}', ['tree', 'text']],
    ['[{"a": 1}]', ['table', 'tree', 'text']],
    ['[not JSON', ['text']],
    [7, ['text']],
    [false, ['text']],
    [{ a: 1 }, ['tree', 'text']],
    [
      [1, 2],
      ['tree', 'text'],
    ],
    [
      [{ a: 1 }, { a: 2 }],
      ['table', 'tree', 'text'],
    ],
    [{ items: [{ a: 1 }] }, ['table', 'tree', 'text']],
    [{ items: [{ a: 1 }], total: 1 }, ['tree', 'table', 'text']],
    [{ content: [{ type: 'text', text: 'x' }] }, ['content', 'tree', 'text']],
  ])('of %j are %j', (value, expected) => {
    expect(viewsOf(value).map(({ id }) => id)).toEqual(expected);
  });

  it.each([
    ['# Title\n\nwords', true],
    ['- one\n- two\n\nand **bold**', true],
    ['see [it](https://example.org)', true],
    ['| a | b |\n| - | - |', true],
    ['```\ncode\n```', true],
    ['- one\n- two', false],
    ['total 8\ndrwxr-xr-x 2 root', false],
    ['2 * 3 * 4 = 24', false],
    ['#!/bin/sh\n#comment', false],
    ['\u001b[31m# red\u001b[0m', false],
    ['**done** in *3* files, see [docs](https://example.org)', true],
    ['**done** in *3* files', true],
    ['Saved as `report.csv`.', true],
    ['`code`', true],
    ['**Note:** nothing was changed (**yet**).', true],
    ['~~old~~ new', true],
    ['**First** paragraph.\n\nThe `second` one.\n', true],
    ['Written to (`/tmp/a b`), twice', true],
    ['2*3*4', false],
    ['2**3**4 and (a)**2 + (b)**2', false],
    ['snake_case_name and __init__ and __all__', false],
    ['src/**/*.ts and lib/**', false],
    ['**/*.ts, **/fixtures/**', false],
    ['f(*args, **kwargs) calls g(**a, **b)', false],
    ['ls *a* *.txt', false],
    ['in *3* files', false],
    ['** WARNING ** disk is full', false],
    ['**********', false],
    ['const a = `x ${y}`;', false],
    ['a=`date`', false],
    ['echo `date`', false],
    ['call(`x`)', false],
    ["sh: `foo' not found", false],
    ['{"a": "**b**"}', false],
    ['{"a": "see `b` and"}', false],
    ['<p>**x**</p>', false],
    ['Started `one`\nStopped `two`', false],
    ['name     `kind`\nfoo      `bar`', false],
    ['name\t`kind`', false],
    ['~/a ~~b', false],
  ])('%j is Markdown: %s', (text, expected) => {
    expect(looksLikeMarkdown(text)).toBe(expected);
  });

  it('shows sizes in bytes as sent', () => {
    expect([0, 1, 999, 1_400, 10_485_760, 123_456].map(sizeInWords)).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1.4 KiB',
      '10 MiB',
      '121 KiB',
    ]);
    expect(bytesOf('é€')).toBe(5);
    const value = { a: 'é€' };
    expect([value, value, 'é€', 12, null, undefined].map(bytesOfValue)).toEqual([13, 13, 5, 2, 4, 4]);
  });
});

describe('the file name', () => {
  it.each([
    [['get_weather', '019a-b'], 'json', 'get_weather-019a-b.json'],
    [['../../etc/passwd'], 'txt', 'etc-passwd.txt'],
    [['a\u202egpj.exe', '..'], 'txt', 'a-gpj-exe.txt'],
    [['///', ''], 'json', 'result.json'],
  ])('is made of %j and the extension %j', (parts, ending, expected) => {
    expect(fileName(parts, ending)).toBe(expected);
  });
});
