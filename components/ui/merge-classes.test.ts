import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { twMerge } from 'tailwind-merge';
import { expect, it } from 'vitest';
import { mergeClasses } from './merge-classes.ts';

const ROOT = path.resolve(import.meta.dirname, '..', '..');
const CLASS = /^!?-?[a-z[][\w:/[\]().,%#&>=*+-]*!?$/;

/** Every word of every text in the pages that tailwind-merge takes for a class of which the later wins. */
function classesInUse(): readonly string[] {
  const words = new Set<string>();
  for (const file of globSync('{app,components}/**/*.tsx', { cwd: ROOT, exclude: ['**/*.test.tsx'] }))
    for (const [, , text = ''] of readFileSync(path.join(ROOT, file), 'utf8').matchAll(/(['"`])((?:(?!\1)[^\\\n])*)\1/g))
      for (const word of text.split(/\s+/)) if (CLASS.test(word)) words.add(word);
  return [...words].filter((word) => twMerge(`${word} ${word}`) === word);
}

// Some hundred thousand pairs: more than the usual patience of a test on a busy machine.
const PATIENCE_MS = 60_000;

it(
  'decides between any two classes in use as tailwind-merge does',
  () => {
    const classes = classesInUse();
    expect(classes.length).toBeGreaterThan(400);
    const when = (name: string) => name.slice(0, name.lastIndexOf(':') + 1);
    const different = classes.flatMap((one) =>
      classes.flatMap((other) =>
        one === other || when(one) !== when(other) || mergeClasses(`${one} ${other}`) === twMerge(`${one} ${other}`)
          ? []
          : [`${one} ${other}`],
      ),
    );
    expect(different.slice(0, 40), 'name the group of these classes in merge-classes.ts').toEqual([]);
  },
  PATIENCE_MS,
);
