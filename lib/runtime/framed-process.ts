import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { createBufferRelief } from './buffer-relief.ts';
import { createFrameReader, encodeFrame } from './frames.ts';
import { lowerPriority } from './lower-priority.ts';
import { createOutputTail } from './output-tail.ts';
import { parseChildMessage } from './parse-child-message.ts';
import type { ChildProcess } from 'node:child_process';
import type { FrameLimits } from './frames.ts';
import type { ChildMessage, HostMessage } from './messages.ts';

/**
 * One process that speaks frames over descriptor 3, in a process group of its own. Its standard streams are its log.
 *
 * What can go wrong: it cannot be started; it dies at any moment, with bytes still on their way; it sends what is no
 * message; it stops reading while we write; it leaves children of its own behind that hold its pipes open. So: a start
 * that fails is an end like any other; the end is told once, after the pipes are empty or a short wait; a wrong message
 * ends it; writes wait for the drain; the whole group is killed, and killed again after its leader is gone.
 */
export interface ProcessEnd {
  readonly reason: EndReason;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What went wrong with the process itself, in words; null when it just ended. */
  readonly detail: string | null;
}

export type EndReason =
  | 'spawn_failed'
  | 'exit'
  | 'protocol'
  | 'memory_limit'
  | 'unresponsive'
  | 'import_timeout'
  | 'start_timeout'
  | 'unwanted';

export interface ProcessListener {
  onMessage(message: ChildMessage, payload: Buffer): void;
  /** Once; nothing follows it. */
  onEnd(end: ProcessEnd): void;
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void;
}

export interface FramedProcess {
  /** 0 when it could not be started. */
  readonly pid: number;
  /** Replaces the listener; what was printed before is in `tail` only. */
  listen(listener: ProcessListener): void;
  send(message: HostMessage, payload?: string): void;
  /** Like `send`, but waits while the process is not reading; asks again whether the message is still wanted. */
  sendWhenRead(message: HostMessage, payload: string, isWanted: () => boolean): void;
  /** The newest 8 KiB of what it printed; null when nothing. */
  tail(): string | null;
  note(text: string): void;
  /** Ends the whole group at once; `onEnd` follows with this reason. */
  kill(reason: EndReason, detail?: string): void;
  /** Asks it to end (SIGTERM), and ends the group after `graceMs`. Settles when it is gone. `why` becomes the detail. */
  end(graceMs: number, why?: string): Promise<void>;
  readonly ended: Promise<ProcessEnd>;
}

export interface FramedProcessOptions {
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly limits: FrameLimits;
}

const PIPES_EMPTY_MS = 250;
const LINK = 3;
/** A flood of small messages must leave the host time for others. */
const BYTES_A_TURN = 131_072;
/** A byte of an answer is in several buffers and texts until it is on its way to the caller; what is collected while one of them is needed is kept longer. */
const ANSWERED_BYTES = 4 * 1_048_576;
const PRINTED_BYTES = 16 * 1_048_576;

export function startFramedProcess(options: FramedProcessOptions): FramedProcess {
  const [command, ...args] = options.command;
  const tail = createOutputTail();
  const waiting: { readonly frame: () => Buffer; readonly isWanted: () => boolean }[] = [];
  const { promise: ended, resolve: settle } = Promise.withResolvers<ProcessEnd>();
  let listener: ProcessListener | null = null;
  let reason: EndReason = 'exit';
  let detail: string | null = null;
  let over = false;
  let exited: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | null = null;

  const child: ChildProcess = spawn(command, args, {
    cwd: options.workingDirectory,
    env: { ...options.environment } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  const link = child.stdio[LINK];
  const pid = child.pid ?? 0;
  lowerPriority(child);

  const finish = (): void => {
    if (over) return;
    over = true;
    waiting.length = 0;
    link?.destroy();
    child.stdout?.destroy();
    child.stderr?.destroy();
    const end: ProcessEnd = { reason, code: exited?.code ?? null, signal: exited?.signal ?? null, detail };
    listener?.onEnd(end);
    settle(end);
  };

  const killGroup = (signal: NodeJS.Signals): void => {
    if (pid === 0) return;
    try {
      if (process.platform === 'win32') child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      if (exited === null) child.kill(signal);
    }
  };

  const kill = (why: EndReason, words?: string): void => {
    if (over || reason !== 'exit' || exited !== null) return;
    reason = why;
    detail = words ?? null;
    killGroup('SIGKILL');
  };

  const reader = createFrameReader(options.limits, {
    onFrame(header, payload) {
      if (over || (reason !== 'exit' && reason !== 'unwanted')) return;
      const message = parseChildMessage(header);
      if (message === null) kill('protocol', 'it sent something that is no message of its protocol');
      else listener?.onMessage(message, payload);
    },
    onFault: (fault) => kill('protocol', fault),
  });

  const flush = (): void => {
    while (waiting.length > 0 && link instanceof Duplex && !link.writableNeedDrain) {
      const next = waiting.shift();
      if (next?.isWanted() === true) link.write(next.frame());
    }
  };

  if (link instanceof Duplex) {
    let bytesThisTurn = 0;
    const relief = createBufferRelief(ANSWERED_BYTES);
    link.on('data', (chunk: Buffer) => {
      bytesThisTurn += chunk.length;
      relief.passed(chunk.length);
      reader.push(chunk);
      if (bytesThisTurn < BYTES_A_TURN) return;
      bytesThisTurn = 0;
      link.pause();
      setImmediate(() => link.resume());
    });
    link.on('drain', flush);
    link.on('error', () => undefined);
  }
  const relief = createBufferRelief(PRINTED_BYTES);
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = child[name];
    stream?.on('data', (chunk: Buffer) => {
      relief.passed(chunk.length);
      tail.push(chunk);
      listener?.onOutput(name, chunk);
    });
    stream?.on('error', () => undefined);
  }
  child.once('error', (error) => {
    if (pid !== 0) return;
    reason = 'spawn_failed';
    detail = error.message;
    finish();
  });
  child.once('exit', (code, signal) => {
    exited = { code, signal };
    killGroup('SIGKILL');
    setTimeout(finish, PIPES_EMPTY_MS).unref();
  });
  child.once('close', finish);

  let isGathering = false;
  /** What is sent in one go (the calls that one commit has released) reaches the process as one write, not one each. */
  const send = (message: HostMessage, payload?: string): void => {
    if (over || !(link instanceof Duplex) || !link.writable) return;
    if (!isGathering) {
      isGathering = true;
      link.cork();
      process.nextTick(() => {
        isGathering = false;
        link.uncork();
      });
    }
    link.write(encodeFrame(message, payload));
  };

  return {
    pid,
    ended,
    listen(next) {
      listener = next;
    },
    send,
    sendWhenRead(message, payload, isWanted) {
      if (waiting.length === 0 && link instanceof Duplex && !link.writableNeedDrain) send(message, payload);
      else waiting.push({ frame: () => encodeFrame(message, payload), isWanted });
    },
    tail: () => tail.text(),
    note: (text) => tail.push(text),
    kill,
    async end(graceMs, why) {
      if (over) return;
      if (reason === 'exit') {
        reason = 'unwanted';
        detail = why ?? null;
      }
      killGroup('SIGTERM');
      const timer = setTimeout(() => killGroup('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
