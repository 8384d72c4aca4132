import type { ExtensionLogLine } from '#lib/contract/extension.ts';

/** The first words of log lines about uncaught errors, in the languages of extensions. */
const UNCAUGHT = /^(?:Uncaught exception|Unhandled promise rejection)\b/;
const ENDED_CALL = '(its call was ended)';

/** Errors outside of calls, mostly after they returned, from the extension's log; null for none. */
export function noteOnLateErrors(lines: readonly ExtensionLogLine[]): string | null {
  const found = lines.filter(({ level, message }) => level === 'error' && UNCAUGHT.test(message) && !message.includes(ENDED_CALL));
  const [first] = found;
  if (first === undefined) return null;
  const times = found.length === 1 ? 'Once' : `${found.length} times`;
  return `${times} an error came that nothing caught, outside of any call; the log of the extension has it: ${first.message.split('\n', 1)[0]}`;
}
