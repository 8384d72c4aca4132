import { parseArgs } from 'node:util';
import type { ParseArgsConfig, ParseArgsOptionsConfig } from 'node:util';
import { nearestName } from '#lib/schema/nearest-name.ts';
import { wrongUsage } from './command.ts';

type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true; strict: true }>
>;

/** Options and words of a command line; a wrong one is named, with the one that was probably meant, or how its value is written. */
export function readOptions<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options): Parsed<Options> {
  refuseWrong(args, options);
  return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
}

function refuseWrong(args: readonly string[], options: ParseArgsOptionsConfig): void {
  const config: ParseArgsConfig = { args: [...args], options, allowPositionals: true, strict: false, tokens: true };
  const { tokens = [] } = parseArgs(config);
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const known = options[token.name];
    if (known !== undefined) {
      refuseValue(token, known.type);
      continue;
    }
    const names = Object.keys(options);
    const meant = nearestName(token.name, names);
    const all = names.map((name) => `--${name}`).join(', ');
    throw wrongUsage(
      `There is no option ${token.rawName}. ${meant === null ? (all === '' ? 'This command has none.' : `There are: ${all}.`) : `Did you mean --${meant}?`}`,
    );
  }
}

interface GivenOption {
  readonly name: string;
  readonly value?: string | undefined;
  /** Whether it is written with `=`. */
  readonly inlineValue?: boolean | undefined;
}

function refuseValue({ name, value, inlineValue }: GivenOption, type: 'string' | 'boolean'): void {
  if (type === 'boolean') {
    if (value !== undefined) throw wrongUsage(`--${name} takes no value.`);
    return;
  }
  if (value === undefined) throw wrongUsage(`--${name} takes a value.`);
  if (inlineValue !== true && value.startsWith('-') && value !== '-')
    throw wrongUsage(`--${name} takes a value; one that begins with a dash is written --${name}=${value}.`);
}

/** For a command that takes options alone. */
export function refuseWords([word]: readonly string[], instead: string): void {
  if (word !== undefined) throw wrongUsage(`“${word}” is no option. ${instead}`);
}

/** Text of the environment or of an option as a whole number. */
export function readNumber(option: string, given: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw wrongUsage(`${option} is "${given}"; accepted: a whole number from ${least} to ${most}.`);
}
