import type { Call } from '#lib/contract/call.ts';
import { jsonText } from './call-words.ts';

/** What a call came to, as text that can be laid beside another's: text with line breaks stays text. */
export function outcomeText(call: Call): string {
  if (call.error !== null) return jsonText(call.error);
  return typeof call.result === 'string' && call.result.includes('\n') ? call.result : jsonText(call.result);
}

/** The log without its times, which always differ. */
export function logText(call: Call): string {
  return call.logs
    .map((line) => `${line.level.padEnd(5)} ${line.message}${line.data === undefined ? '' : ` ${JSON.stringify(line.data)}`}`)
    .join('\n');
}

/** "1.2 times as long", "a third faster" would be guesses about noise; the plain difference is not: "+12.3 ms". */
export function differenceInMs(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : Math.round((after - before) * 1_000) / 1_000;
}
