import { format, stripVTControlCharacters } from 'node:util';
import type { LogLevel } from '#lib/contract/call.ts';
import type { Logger } from './logger.ts';

/**
 * Console output of the server's packages (mainly Next) becomes log entries: otherwise it would mix unescaped plain
 * lines into the JSON. Informational output is logged at level `debug`.
 */
const LEVELS = { log: 'debug', info: 'debug', debug: 'debug', trace: 'debug', warn: 'warn', error: 'error' } as const satisfies Readonly<
  Record<string, LogLevel>
>;

export function logConsole(logger: Logger, target: Partial<Record<keyof typeof LEVELS, unknown>> = console): void {
  for (const [name, level] of Object.entries(LEVELS))
    Reflect.set(target, name, (...values: unknown[]) => {
      const error = values.find((value) => value instanceof Error);
      const words = stripVTControlCharacters(format(...values.filter((value) => value !== error))).trim();
      if (error !== undefined) logger[level](words === '' ? 'A package of the server reported an error' : words, { error });
      else if (words !== '') logger[level](words);
    });
}
