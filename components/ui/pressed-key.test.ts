import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pressedKey } from './pressed-key.ts';

const root = path.resolve(import.meta.dirname, '../..');
const sources = globSync('{app,components}/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !/\.test\.tsx?$|\/pressed-key\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));

describe('the pressed key', () => {
  it('is the key if no input method handles it', () => {
    expect(pressedKey({ key: 'Enter', keyCode: 13, isComposing: false })).toBe('Enter');
    expect(pressedKey({ key: 'Escape', keyCode: 27, nativeEvent: { isComposing: false } })).toBe('Escape');
  });

  it('is empty during composition, and for the Enter that Safari reports after it', () => {
    expect(pressedKey({ key: 'Enter', keyCode: 13, isComposing: true })).toBe('');
    expect(pressedKey({ key: 'Enter', keyCode: 13, nativeEvent: { isComposing: true } })).toBe('');
    expect(pressedKey({ key: 'Enter', keyCode: 229, isComposing: false })).toBe('');
  });
});

describe('input methods in the pages', () => {
  it('are respected by every handler: only pressedKey reads the key of an event', () => {
    const read =
      /\b(?:event|nativeEvent|e)\.(?:key|code|keyCode|which|isComposing)\b|\{[^}\n]*\b(?:key|code|keyCode)\b[^}\n]*\}\s*(?:=\s*event\b|:\s*(?:React\.)?KeyboardEvent)/;
    expect(sources.length).toBeGreaterThan(200);
    expect(sources.filter(({ text }) => read.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('do not close overlays at Escape', () => {
    const contents = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/<Radix\.(?:Sub)?Content\b(.*)\n(.*)/g)].map(([all]) => ({ file, all })),
    );
    expect(contents.length).toBeGreaterThan(2);
    expect(contents.filter(({ all }) => !all.includes('onEscapeKeyDown={keepOpenWhileComposing}'))).toEqual([]);
  });
});
