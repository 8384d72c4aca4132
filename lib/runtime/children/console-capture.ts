import { format, inspect } from 'node:util';
import { LIMITS } from '#lib/contract/limits.ts';
import { leftOutText } from '../message-flow.ts';
import { toNotedJsonText } from './to-json.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import type { ServerLog } from '#lib/contract/server-features.ts';
import type { HostLink } from './host-link.ts';

/**
 * Log lines from `console.*` and `ctx.log` to the host. Logging must never throw, and a flood must not fill this process's memory
 * while the host is slower: excess lines are dropped and counted.
 */
export interface LogWriter {
  /** `id` 0: outside of any call. */
  write(id: number, level: LogLevel, message: unknown, data?: unknown): void;
  /** A message of an MCP server; one that is too large is only logged. */
  writeSaid(id: number, level: LogLevel, message: string, said: ServerLog): void;
  trace(id: number, text: string): void;
  /** A call ends: logs how many of its lines were dropped. */
  end(id: number): void;
}

const BACKLOG_BYTES = 1_048_576;
const DATA_BYTES = 16_384;

/** In place of missing lines. */
const GAP = ',"gap":true';

export function createLogWriter(link: HostLink, childProgram: string): LogWriter {
  /** Per call: since the last report, and in total. */
  const leftOut = new Map<number, number>();
  const leftOutInAll = new Map<number, number>();
  const count = (counts: Map<number, number>, id: number): Map<number, number> => counts.set(id, (counts.get(id) ?? 0) + 1);
  const send = (id: number, level: LogLevel, message: string, more: string): void => {
    const text =
      message.length > LIMITS.errorMessageBytes
        ? `${message.slice(0, LIMITS.errorMessageBytes)} … (truncated; it had ${message.length} characters)`
        : message;
    link.send({ type: 'log', id, level }, `{"message":${JSON.stringify(text.toWellFormed())}${more}}`);
  };
  const hasCapacity = (id: number): boolean => {
    if (link.backlog() > BACKLOG_BYTES) {
      count(leftOut, id);
      count(leftOutInAll, id);
      return false;
    }
    for (const [call, lines] of leftOut) send(call, 'warn', leftOutText(lines), GAP);
    leftOut.clear();
    return true;
  };
  return {
    writeSaid(id, level, message, said) {
      if (!hasCapacity(id)) return;
      const text = toNotedJsonText(said, DATA_BYTES, 'digits');
      send(id, level, message, text.ok ? `,"said":${text.text}` : '');
    },
    write(id, level, message, data) {
      if (!hasCapacity(id)) return;
      const given = data === undefined ? null : toNotedJsonText(data, DATA_BYTES);
      const dataText = given === null ? null : given.ok ? given.text : JSON.stringify(`(left out: ${given.message})`);
      send(
        id,
        level,
        withoutHostFrames(typeof message === 'string' ? message : show(message), childProgram),
        dataText === null ? '' : `,"data":${dataText}`,
      );
    },
    trace(id, text) {
      if (link.backlog() <= BACKLOG_BYTES) link.send({ type: 'trace', id }, text);
    },
    end(id) {
      const lines = leftOutInAll.get(id) ?? 0;
      leftOut.delete(id);
      leftOutInAll.delete(id);
      if (lines > 0) send(id, 'warn', leftOutText(lines), GAP);
    },
  };
}

const METHODS = { log: 'info', info: 'info', debug: 'debug', warn: 'warn', error: 'error', trace: 'debug' } as const satisfies Record<
  string,
  LogLevel
>;

/** Makes `console.*` write log lines of the current call. */
export function captureConsole(writer: LogWriter, currentCall: () => number): void {
  for (const [method, level] of Object.entries(METHODS)) {
    Reflect.set(console, method, (...values: unknown[]) => {
      writer.write(currentCall(), level, formatAll(values));
    });
  }
}

function formatAll(values: readonly unknown[]): string {
  try {
    return format(...values);
  } catch {
    return '(a value that cannot be shown)';
  }
}

/** Removes frames of this program and of Node from a logged error: its author cannot use them. */
function withoutHostFrames(text: string, childProgram: string): string {
  if (!text.includes('\n    at ')) return text;
  return text
    .split('\n')
    .filter((line) => !/^ +at /.test(line) || !(line.includes(childProgram) || /[( ]node:internal\//.test(line)))
    .join('\n');
}

function show(value: unknown): string {
  try {
    return inspect(value, { depth: 4 });
  } catch {
    return '(a value that cannot be shown)';
  }
}
