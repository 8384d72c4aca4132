import { describe, expect, it } from 'vitest';
import { shellSyntaxNote, splitCommand } from './command-words.ts';

describe('words', () => {
  it.each([
    ['a  b\tc', ['a', 'b', 'c']],
    [`a 'b c' "d \\"e\\"" f\\ g ''`, ['a', 'b c', 'd "e"', 'f g', '']],
    ['echo $HOME `id` $(id) *.ts ~ {a,b}', ['echo', '$HOME', '`id`', '$(id)', '*.ts', '~', '{a,b}']],
    ['a | b > c && d; e # f', ['a', '|', 'b', '>', 'c', '&&', 'd;', 'e', '#', 'f']],
  ])('splits %s and expands nothing', (command, words) => {
    expect(splitCommand(command)).toEqual(words);
  });

  it.each([`say "it`, `it's`, 'end\\'])('refuses %s, whose quote is open', (command) => {
    expect(() => splitCommand(command)).toThrow(/not closed/);
  });

  it.each([
    ['ls | wc', '`|`'],
    ['ls 2>/dev/null', '`2>`'],
    ['a && b', '`&&`'],
    ['echo "$HOME"', '`$H`'],
    ['ls *.ts', '`*`'],
    ['ls ~/x', '`~/`'],
  ])('tells of shell syntax in %s', (command, shown) => {
    expect(shellSyntaxNote(command)).toContain(shown);
  });

  it.each([`grep 'a|b' x`, `grep "a && b" x`, `echo '$HOME'`, 'echo a\\|b', 'git log -n 3'])('has nothing to say of %s', (command) => {
    expect(shellSyntaxNote(command)).toBeNull();
  });
});
