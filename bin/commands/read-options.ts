import { parseArgs } from 'node:util';
import type { ParseArgsConfig, ParseArgsOptionsConfig } from 'node:util';
import { nearestName } from '#lib/schema/nearest-name.ts';
import { wrongUsage } from './command.ts';

type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true; strict: true }>
>;

/** Options and words of a command line; a wrong one is named, with the one that was probably meant. */
export function readOptions<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options): Parsed<Options> {
  refuseUnknown(args, options);
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's words name the option; its advice about `--` is for others.
    const words = error instanceof Error ? error.message.split('\n', 1)[0]?.split('. To specify', 1)[0] : '';
    throw wrongUsage(`${words ?? ''}.`.replace(/\.\.$/, '.'));
  }
}

function refuseUnknown(args: readonly string[], options: ParseArgsOptionsConfig): void {
  const config: ParseArgsConfig = { args: [...args], options, allowPositionals: true, strict: false, tokens: true };
  const { tokens = [] } = parseArgs(config);
  for (const token of tokens) {
    if (token.kind !== 'option' || token.name in options) continue;
    const names = Object.keys(options);
    const meant = nearestName(token.name, names);
    const known = names.map((name) => `--${name}`).join(', ');
    throw wrongUsage(
      `There is no option ${token.rawName}. ${meant === null ? (known === '' ? 'This command has none.' : `There are: ${known}.`) : `Did you mean --${meant}?`}`,
    );
  }
}

/** Text of the environment or of an option as a whole number. */
export function readNumber(option: string, given: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw wrongUsage(`${option} is "${given}"; accepted: a whole number from ${least} to ${most}.`);
}
