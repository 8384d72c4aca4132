import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from './command-list.ts';
import { EXIT } from './command.ts';

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
const sections = new Map(page.split(/^## /m).map((part) => [part.split('\n', 1)[0] ?? '', part]));
const optionsOf = (text: string): Set<string> => new Set(text.match(/(?<![\w-])--[a-z][a-z-]*/g));

describe('docs/cli.md', () => {
  it.each(COMMANDS.map((command) => [command.name, command] as const))('describes every option of %s, and no other', (name, command) => {
    const written = optionsOf((sections.get(name) ?? '').split(/^### /m)[0] ?? '');
    expect(written).toEqual(optionsOf(command.help));
  });

  it('lists the exit codes', () => {
    const listed = [...(sections.get('Exit codes') ?? '').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(listed).toEqual(Object.values(EXIT).toSorted((a, b) => a - b));
  });
});
