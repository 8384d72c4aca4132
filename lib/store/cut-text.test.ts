import { describe, expect, it } from 'vitest';
import { failureTitle } from './cut-text.ts';

describe('the title of a failure', () => {
  it.each([
    ['It broke.', 'It broke.'],
    ['It broke. \nAnd more.', 'It broke.'],
    ['', ''],
    ['x'.repeat(200), 'x'.repeat(200)],
  ])('is the first line of %j', (message, title) => expect(failureTitle(message)).toBe(title));

  it('is cut after a complete word, with an ellipsis', () => {
    const title = failureTitle(`${'word '.repeat(50)}end`);
    expect(title).toMatch(/^(?:word )+word…$/);
    expect(title.length).toBeGreaterThan(160);
    expect(title.length).toBeLessThanOrEqual(200);
  });

  it('is cut within a word that is too long, but never within a character', () => {
    expect(failureTitle(`short ${'x'.repeat(300)}`)).toBe(`short ${'x'.repeat(193)}…`);
    expect(failureTitle('😀'.repeat(150)).isWellFormed()).toBe(true);
  });
});
