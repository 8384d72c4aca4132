import type { Call } from '#lib/contract/call.ts';
import { escapeControl } from '#lib/host/escape-control.ts';

const DATA_MOST = 2_000;

/** A call as text. Control characters are escaped on a terminal, and unchanged in a pipe. */
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
    return call.logs_truncated ? ['… (earlier lines omitted)', ...lines] : lines;
  },
};

/** Keeps line breaks of all systems. */
function harmless(text: string): string {
  return text.split(/\r?\n/).map(escapeControl).join('\n');
}

/** Data of an error, on one line. */
function dataInWords(data: unknown): string {
  const text = escapeControl(JSON.stringify(data));
  return text.length > DATA_MOST ? `data: ${text.slice(0, DATA_MOST)}… (use --json for all)` : `data: ${text}`;
}
