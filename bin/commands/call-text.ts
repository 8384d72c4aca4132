import type { Call } from '#lib/contract/call.ts';
import { escapeControl } from '#lib/host/escape-control.ts';

const DATA_MOST = 2_000;

/** A call in words. What a terminal shows is made harmless; what a program reads is left as it is. */
export const callText = {
  result(result: unknown, isTerminal: boolean): string {
    const text = typeof result === 'string' ? result : JSON.stringify(result, null, 2);
    return `${isTerminal ? harmless(text) : text}\n`;
  },

  error(call: Call): string {
    const { error } = call;
    if (error === null) return `The call of ${call.tool} ended as ${call.status}.`;
    const data = error.data === undefined ? '' : `\n${dataInWords(error.data)}`;
    return `${error.kind}: ${harmless(error.message)}${data}`;
  },

  logs(call: Call): string[] {
    const lines = call.logs.map(({ time, level, message, data }) => {
      const rest = data === null ? '' : ` ${JSON.stringify(data)}`;
      return escapeControl(`${time.slice(11, 23)} ${level.padEnd(5)} ${message}${rest}`);
    });
    return call.logs_truncated ? ['… (earlier lines were left out)', ...lines] : lines;
  },
};

/** Line breaks stay, of whatever system they are. */
function harmless(text: string): string {
  return text.split(/\r?\n/).map(escapeControl).join('\n');
}

/** What a tool gives along with its error, on one line. */
function dataInWords(data: unknown): string {
  const text = escapeControl(JSON.stringify(data));
  return text.length > DATA_MOST ? `data: ${text.slice(0, DATA_MOST)}… (all of it by --json)` : `data: ${text}`;
}
