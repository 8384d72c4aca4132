import type { Call } from '#lib/contract/call.ts';
import { escapeControl } from '#lib/host/escape-control.ts';

/** A call in words. What a terminal shows is made harmless; what a program reads is left as it is. */
export const callText = {
  result(result: unknown, isTerminal: boolean): string {
    const text = typeof result === 'string' ? result : JSON.stringify(result, null, 2);
    return `${isTerminal ? text.split('\n').map(escapeControl).join('\n') : text}\n`;
  },

  error(call: Call): string {
    const { error } = call;
    if (error === null) return `The call of ${call.tool} ended as ${call.status}.`;
    return `${error.kind}: ${error.message.split('\n').map(escapeControl).join('\n')}`;
  },

  logs(call: Call): string[] {
    const lines = call.logs.map(({ time, level, message, data }) => {
      const rest = data === undefined ? '' : ` ${JSON.stringify(data)}`;
      return escapeControl(`${time.slice(11, 23)} ${level.padEnd(5)} ${message}${rest}`);
    });
    return call.logs_truncated ? ['… (earlier lines were left out)', ...lines] : lines;
  },
};
