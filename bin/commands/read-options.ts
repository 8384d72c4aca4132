import { parseArgs } from 'node:util';
import type { ParseArgsConfig, ParseArgsOptionsConfig } from 'node:util';
import { nearestName } from '#lib/schema/nearest-name.ts';
import { wrongUsage } from './command.ts';

type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true; strict: true }>
>;

/** Options and arguments. Errors name the option, with a suggestion or the correct form. */
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
      `Unknown option ${token.rawName}. ${meant === null ? (all === '' ? 'This command has none.' : `There are: ${all}.`) : `Did you mean --${meant}?`}`,
    );
  }
}

interface GivenOption {
  readonly name: string;
  readonly value?: string | undefined;
  /** Whether it uses `=`. */
  readonly inlineValue?: boolean | undefined;
}

function refuseValue({ name, value, inlineValue }: GivenOption, type: 'string' | 'boolean'): void {
  if (type === 'boolean') {
    if (value !== undefined) throw wrongUsage(`--${name} takes no value.`);
    return;
  }
  if (value === undefined) throw wrongUsage(`--${name} needs a value.`);
  if (inlineValue !== true && value.startsWith('-') && value !== '-')
    throw wrongUsage(`--${name} needs a value; write --${name}=${value} if it starts with a dash.`);
}

/** For a command without arguments. */
export function refuseWords([word]: readonly string[], instead: string): void {
  if (word !== undefined) throw wrongUsage(`“${word}” is not an option. ${instead}`);
}

/** Parses an integer from the environment or an option. */
export function readNumber(option: string, given: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw wrongUsage(`${option} is "${given}"; accepted: an integer from ${least} to ${most}.`);
}
