import { StringDecoder } from 'node:string_decoder';
import { LIMITS } from '#lib/contract/limits.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import type { ExtensionLogLine } from '#lib/contract/extension.ts';

/**
 * The newest lines that an extension printed and logged, and the host's notes about its process.
 *
 * What can go wrong: an extension prints a gigabyte, a line of a gigabyte, or never ends a line. Bytes beyond the limit per
 * interval are counted and not parsed; a long line is truncated; an unfinished line is shown on request. It prints tens of thousands
 * of lines of one byte: lines that would be evicted by the same text are counted, not created. The log always says how many lines
 * are missing. Secrets are hidden before a line is truncated, and private keys also when their lines arrive one by one.
 */
export interface ExtensionLog {
  write(level: LogLevel, stream: ExtensionLogLine['stream'], message: string, callId: string | null): void;
  /** Notes that lines are missing here; the newest note outlives the lines around it. */
  noteLeftOut(message: string): void;
  /** Reads a stream of the process as lines. */
  openStream(stream: 'stdout' | 'stderr'): LogStream;
  read(): { readonly lines: readonly ExtensionLogLine[]; readonly truncated: boolean; readonly dropped: number };
}

export interface LogStream {
  push(chunk: Buffer): void;
  /** Shows an unfinished line. */
  flush(): void;
  /** The stream has ended: an unfinished line becomes a line. */
  end(): void;
}

export interface ExtensionLogOptions {
  readonly now: () => number;
  /** Returns the text without secrets. */
  readonly hide: (text: string) => string;
  readonly onLine: (line: ExtensionLogLine) => void;
}

const LINE_CHARACTERS = 8_192;
const LINE_OVERHEAD = 64;
const INTERVAL_MS = 250;
/** This many lines fill the log, however short they are. */
const MOST_LINES = Math.ceil(LIMITS.extensionLogBytes / LINE_OVERHEAD);

export function createExtensionLog({ now, hide, onLine }: ExtensionLogOptions): ExtensionLog {
  let lines: { readonly line: ExtensionLogLine; readonly bytes: number }[] = [];
  /** The newest note about missing lines. */
  let note: ExtensionLogLine | null = null;
  let bytes = 0;
  let dropped = 0;
  const open = new Set<LogStream>();

  const drop = (): void => {
    let from = 0;
    while (bytes > LIMITS.extensionLogBytes && from < lines.length - 1) {
      bytes -= lines[from]?.bytes ?? 0;
      from += 1;
    }
    if (from > 0) forget(from);
  };

  /** Drops the oldest lines, but not the note. */
  const forget = (count: number): void => {
    const gone = lines.slice(0, count);
    const kept = gone.filter(({ line }) => line === note);
    dropped += gone.length - kept.length;
    lines = [...kept, ...lines.slice(count)];
    for (const entry of kept) bytes += entry.bytes;
  };

  const write: ExtensionLog['write'] = (level, stream, message, callId) => void writeHidden(level, stream, hide(message), callId);

  const writeHidden = (level: LogLevel, stream: ExtensionLogLine['stream'], message: string, callId: string | null): ExtensionLogLine => {
    const text =
      message.length > LINE_CHARACTERS
        ? `${message.slice(0, LINE_CHARACTERS)} … (truncated; the line had ${message.length} characters)`
        : message;
    const line: ExtensionLogLine = { time: new Date(now()).toISOString(), level, stream, message: text.toWellFormed(), call_id: callId };
    lines.push({ line, bytes: text.length + LINE_OVERHEAD });
    bytes += text.length + LINE_OVERHEAD;
    if (bytes > 1.5 * LIMITS.extensionLogBytes) drop();
    onLine(line);
    return line;
  };

  const noteLeftOut = (message: string): void => {
    note = writeHidden('warn', 'host', message, null);
  };

  /** Counts and skips lines that the end of the same text would evict, with all older ones. */
  const skip = (text: string): string => {
    const from = startOfNewest(text, MOST_LINES);
    if (from === 0) return text;
    dropped += countLines(text, from);
    bytes = 0;
    forget(lines.length);
    return text.slice(from);
  };

  const openStream = (stream: 'stdout' | 'stderr'): LogStream => {
    const level: LogLevel = stream === 'stderr' ? 'warn' : 'info';
    const decoder = new StringDecoder('utf8');
    let rest = '';
    let intervalBegan = 0;
    let taken = 0;
    let leftOut = 0;
    const withoutKeys = createKeyFilter();

    const reportLeftOut = (): void => {
      if (leftOut === 0) return;
      noteLeftOut(`${leftOut} bytes printed to ${stream} were left out: more than ${LIMITS.extensionLogBytes} in ${INTERVAL_MS} ms`);
      leftOut = 0;
    };

    const log: LogStream = {
      push(chunk) {
        const time = now();
        if (time - intervalBegan >= INTERVAL_MS || time < intervalBegan) {
          intervalBegan = time;
          taken = 0;
          reportLeftOut();
        }
        taken += chunk.length;
        if (taken > LIMITS.extensionLogBytes) {
          leftOut += chunk.length;
          return;
        }
        const text = skip(rest + decoder.write(chunk));
        const ended = text.lastIndexOf('\n') + 1;
        rest = text.slice(ended);
        const lines =
          ended === 0
            ? []
            : withoutKeys(hide(text.slice(0, ended)))
                .split('\n')
                .slice(0, -1);
        for (const part of lines) writeHidden(level, stream, part.endsWith('\r') ? part.slice(0, -1) : part, null);
        if (rest.length > LINE_CHARACTERS) {
          write(level, stream, rest, null);
          rest = '';
        }
      },
      flush() {
        reportLeftOut();
        if (rest !== '') write(level, stream, rest, null);
        rest = '';
      },
      end() {
        rest += decoder.end();
        log.flush();
        open.delete(log);
      },
    };
    open.add(log);
    return log;
  };

  return {
    write,
    noteLeftOut,
    openStream,
    read() {
      for (const stream of open) stream.flush();
      drop();
      return { lines: lines.map(({ line }) => line), truncated: dropped > 0, dropped };
    },
  };
}

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;
const KEY_END = '-----END ';

/** Removes the lines of a private key that began in an earlier text. */
function createKeyFilter(): (text: string) => string {
  let isInKey = false;
  return (text) => {
    const end = isInKey ? text.indexOf(KEY_END) : 0;
    if (end === -1) return '';
    const shown = text.slice(end);
    const begin = shown.lastIndexOf('-----BEGIN ');
    isInKey = begin > shown.lastIndexOf(KEY_END) && KEY_BEGIN.test(shown.slice(begin));
    return isInKey && !shown.endsWith('\n') ? `${shown}\n` : shown;
  };
}

/** Start of the newest `most` complete lines of a text. */
function startOfNewest(text: string, most: number): number {
  let at = text.length;
  for (let found = 0; found <= most; found += 1) {
    at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1);
    if (at === -1) return 0;
  }
  return at + 1;
}

function countLines(text: string, until: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < until; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
