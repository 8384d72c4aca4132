import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { CodeFrame, parseCodeFrame, splitStack } from './FailureCause.tsx';

afterEach(cleanup);

it('marks the failing line, also for screen readers, and shows the caret below the column', () => {
  render(<CodeFrame frame={'   9 | a\n> 10 |   b c\n     |     ^'} file={null} />);
  const text = screen.getByRole('region').textContent;
  expect(text).toContain('fault in line 10');
  expect(text).toContain('line  9a\n');
  expect(text).toContain('    ^\n');
});

it('shows markup in foreign code as text', () => {
  render(<CodeFrame frame={'> 1 | <img src=x onerror=alert(1)>'} file={null} />);
  expect(screen.getByRole('region').querySelector('img')).toBeNull();
  expect(screen.getByRole('region').textContent).toContain('<img src=x onerror=alert(1)>');
});

it('parses the line numbers, the marked line and the caret column', () => {
  const frame = parseCodeFrame("   9 | \n> 10 |   name: 'a',\n     |         ^\n  11 | };");
  expect(frame).toEqual({
    lines: [
      { number: 9, code: '', marked: false },
      { number: 10, code: "  name: 'a',", marked: true },
      { number: 11, code: '};', marked: false },
    ],
    caret: 8,
  });
});

it('keeps a vertical bar inside the code', () => {
  expect(parseCodeFrame('> 1 | const a = b | c;')?.lines[0]?.code).toBe('const a = b | c;');
});

it('has no caret if the frame has none', () => {
  expect(parseCodeFrame('  1 | a\n> 2 | b')?.caret).toBeNull();
});

it('returns null for text that is not a code frame', () => {
  expect(parseCodeFrame('Error: no such file')).toBeNull();
  expect(parseCodeFrame('')).toBeNull();
});

it('separates the message and the frames of the extension from those of the runtime', () => {
  const stack =
    'TypeError: node: is not a thing\n    at rates.ts:8:31\n    at ModuleJob.run (node:internal/modules/esm/module_job:430:25)\n    at f (node_modules/x/y.js:1:1)';
  expect(splitStack(stack)).toEqual({
    own: 'TypeError: node: is not a thing\n    at rates.ts:8:31',
    rest: ['    at ModuleJob.run (node:internal/modules/esm/module_job:430:25)', '    at f (node_modules/x/y.js:1:1)'],
  });
});

it('keeps a frame of the extension without a function name', () => {
  const own = 'Error: x\n    at <anonymous> (rates.ts:3:27)\n    at async node (rates.ts:4:1)';
  expect(
    splitStack(`${own}\n    at async node:internal/x:1:1\n    at new Promise (<anonymous>)\n    at a (../node_modules/b/c.js:1:2)`),
  ).toEqual({
    own,
    rest: ['    at async node:internal/x:1:1', '    at new Promise (<anonymous>)', '    at a (../node_modules/b/c.js:1:2)'],
  });
});

it('folds nothing if every frame is of the extension', () => {
  expect(splitStack('Error: x\n    at a.ts:1:1\n').rest).toEqual([]);
});
