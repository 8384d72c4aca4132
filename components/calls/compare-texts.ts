import type { Call } from '#lib/contract/call.ts';
import { comparableText } from './comparable-text.ts';

/** What a call came to, as text that can be laid beside another's: text with line breaks stays text. */
export function outcomeText(call: Call): string {
  return comparableText(call.error ?? call.result);
}

/** The log without its times, which always differ. */
export function logText(call: Call): string {
  return call.logs
    .map((line) => `${line.level.padEnd(5)} ${line.message}${line.data === null ? '' : ` ${JSON.stringify(line.data)}`}`)
    .join('\n');
}

/** One of the things two calls are compared by. */
export interface ComparedPart {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  /** Said in place of the rows when both are equal. */
  readonly same: string;
  /** What is not in the comparison, and why. */
  readonly missing: readonly string[];
  /** There is nothing to compare yet. */
  readonly isOpen: boolean;
}

const SIDES = ['first', 'second'] as const;

export function comparedParts(before: Call, after: Call): readonly ComparedPart[] {
  const calls = [before, after];
  const running = SIDES.filter((_, at) => calls[at]?.status === 'running').map((side) => `The ${side} call still runs.`);
  const cut = SIDES.filter((_, at) => calls[at]?.logs_truncated === true).map(
    (side) => `Of the ${side} call only the newest lines are kept.`,
  );
  const hasSecrets = calls.some((call) => call.redacted.length > 0);
  return [
    {
      title: 'Arguments',
      before: comparableText(before.arguments),
      after: comparableText(after.arguments),
      same: 'Both were called with the same arguments.',
      missing: hasSecrets ? ['Secrets are not kept in the history, so they are not compared.'] : [],
      isOpen: false,
    },
    {
      title: 'Outcome',
      before: outcomeText(before),
      after: outcomeText(after),
      same: 'Both came to the same.',
      missing: running.length === 0 ? [] : [...running, 'What came of both is compared here once it has ended.'],
      isOpen: running.length > 0,
    },
    {
      title: 'Log',
      before: logText(before),
      after: logText(after),
      same: calls.every((call) => call.logs.length === 0) ? 'Neither logged anything.' : 'Both logged the same.',
      missing: [...running, ...cut],
      isOpen: false,
    },
  ];
}

/** "1.2 times as long", "a third faster" would be guesses about noise; the plain difference is not: "+12.3 ms". */
export function differenceInMs(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : Math.round((after - before) * 1_000) / 1_000;
}
