import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shellSyntaxNote, splitCommand } from './command-words.ts';

describe('words', () => {
  const split: readonly (readonly [string, readonly string[]])[] = [
    ['a  b\tc', ['a', 'b', 'c']],
    [`a 'b c' "d \\"e\\"" f\\ g ''`, ['a', 'b c', 'd "e"', 'f g', '']],
    ['echo $HOME `id` $(id) *.ts ~ {a,b}', ['echo', '$HOME', '`id`', '$(id)', '*.ts', '~', '{a,b}']],
    ['a | b > c && d; e # f', ['a', '|', 'b', '>', 'c', '&&', 'd;', 'e', '#', 'f']],
  ];
  for (const [command, words] of split)
    it(`splits ${command} and expands nothing`, () => {
      assert.deepEqual(splitCommand(command), words);
    });

  for (const command of [`say "it`, `it's`, 'end\\'])
    it(`refuses ${command}, with an unclosed quote`, () => {
      assert.throws(() => splitCommand(command), /not closed/);
    });

  const syntax = {
    'ls | wc': '`|`',
    'ls 2>/dev/null': '`2>`',
    'a && b': '`&&`',
    'echo "$HOME"': '`$HOME`',
    'echo ${HOME}/x': '`${HOME}`',
    'echo $(date)': '`$(`',
    'ls *.ts': '`*`',
    'ls ~/x': '`~/`',
  };
  for (const [command, shown] of Object.entries(syntax))
    it(`notes shell syntax in ${command}`, () => {
      assert.ok(shellSyntaxNote(command)?.includes(shown));
    });

  for (const command of [`grep 'a|b' x`, `grep "a && b" x`, `echo '$HOME'`, 'echo a\\|b', 'git log -n 3'])
    it(`has no warning for ${command}`, () => {
      assert.equal(shellSyntaxNote(command), null);
    });
});
