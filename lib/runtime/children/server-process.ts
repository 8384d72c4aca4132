import { spawn } from 'node:child_process';
import { serializeMessage } from '@modelcontextprotocol/client';
import { readMessage } from './lenient-transport.ts';
import type { ChildProcess } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/**
 * An MCP server in a process, with one JSON text per line on its standard streams.
 *
 * What can go wrong: it prints other lines, such as banners or debugging output (written to the extension's log); it prints an
 * endless line (it is ended); it exits (reported once, with the reason); it stops reading; it sends progress and its answer at once
 * (the client drops the call with its answer but handles notifications slightly later, so answers are delayed by that time). It
 * is in the process group of this process, so both end together.
 */
export interface ServerProcess extends Transport {
  readonly pid: number | null;
  /** With this and `pid` the client recognizes standard streams. */
  readonly stderr: null;
  /** "ended with exit code 1"; null while it runs. */
  howItEnded(): string | null;
  /** Null while it runs, and after a signal. */
  exitCode(): number | null;
}

export interface ServerProcessOptions {
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly maxLineBytes: number;
  onStrayLine(line: string): void;
}

const NEWLINE = 0x0a;

export function createServerProcess(options: ServerProcessOptions): ServerProcess {
  const [command, ...args] = options.command;
  let child: ChildProcess | null = null;
  let ended: string | null = null;
  let parts: Buffer[] = [];
  let bytes = 0;
  let held: JSONRPCMessage[] | null = null;
  let hasNotified = false;

  const end = (how: string): void => {
    if (ended !== null) return;
    ended = how;
    for (const message of held ?? []) transport.onmessage?.(message);
    held = null;
    transport.onclose?.();
  };

  const release = (): void => {
    const messages = held ?? [];
    held = null;
    hasNotified = false;
    for (const message of messages) deliver(message);
  };

  /** In order: messages wait behind a delayed one. */
  const deliver = (message: JSONRPCMessage): void => {
    if (held !== null) return void held.push(message);
    const isNotice = 'method' in message;
    if (!isNotice && hasNotified) {
      held = [message];
      setImmediate(release);
      return;
    }
    hasNotified ||= isNotice;
    transport.onmessage?.(message);
  };

  const readLine = (line: string): void => {
    if (line.trim() === '') return;
    const message = readMessage(line);
    if (message === null) options.onStrayLine(line);
    else deliver(message);
  };

  const read = (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, at));
      from = at + 1;
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      bytes = 0;
      readLine(line);
    }
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes <= options.maxLineBytes) return;
    parts = [];
    bytes = 0;
    child?.kill('SIGKILL');
    end(`was ended because it sent more than ${options.maxLineBytes} bytes without a line end`);
  };

  const transport: ServerProcess = {
    stderr: null,
    get pid() {
      return child?.pid ?? null;
    },
    howItEnded: () => ended,
    exitCode: () => child?.exitCode ?? null,
    start() {
      return new Promise((resolve, reject) => {
        const started = spawn(command, args, {
          cwd: options.workingDirectory,
          env: { ...options.environment } as NodeJS.ProcessEnv,
          stdio: ['pipe', 'pipe', 'inherit'],
          windowsHide: true,
        });
        child = started;
        started.once('spawn', resolve);
        started.once('error', (error) => {
          end(`could not be started: ${error.message}`);
          reject(error);
        });
        started.once('close', (code, signal) =>
          end(signal === null ? `ended with exit code ${code ?? 'unknown'}` : `was killed by ${signal}`),
        );
        // Node creates no streams when no descriptor is left; the error follows.
        const streams: Partial<Pick<typeof started, 'stdin' | 'stdout'>> = started;
        streams.stdout?.on('data', read);
        streams.stdout?.on('error', () => undefined);
        streams.stdin?.on('error', () => undefined);
      });
    },
    send(message) {
      return new Promise((resolve, reject) => {
        const stdin = child?.stdin;
        if (ended !== null || stdin == null || !stdin.writable) return reject(new Error('The MCP server is gone'));
        if (stdin.write(serializeMessage(message))) resolve();
        else stdin.once('drain', resolve);
      });
    },
    async close() {
      child?.stdin?.end();
      child?.kill('SIGTERM');
    },
  };
  return transport;
}
