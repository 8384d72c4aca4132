import { spawn } from 'node:child_process';
import { Duplex, type Readable } from 'node:stream';
import { createBufferCollector } from './buffer-collector.ts';
import { createFrameReader, encodeFrame, type FrameLimits } from './frames.ts';
import { parseChildMessage } from './parse-child-message.ts';
import type { ChildMessage, HostMessage } from './messages.ts';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants, getPriority, setPriority } from 'node:os';

/**
 * One process that exchanges frames over descriptor 3, in a process group of its own. Its standard streams are its log.
 *
 * What can go wrong: it cannot be started (reported as an end like any other); it dies with bytes in flight (the end is reported
 * once, after the pipes are empty or a short wait); it sends an invalid message (it is killed); it stops reading (writes wait for
 * drain); its children keep its pipes open (the group is killed, and again after its leader has exited).
 */
export interface ProcessEnd {
  readonly reason: EndReason;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why the process failed, as text; null if it just ended. */
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
  /** Called once, as the last event. */
  onEnd(end: ProcessEnd): void;
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  /** Whether it has pending requests; absent: it is assumed to have some. */
  isAtWork?(): boolean;
}

export interface FramedProcess {
  /** 0 if it could not be started. */
  readonly pid: number;
  /** Replaces the listener; earlier output is only in `tail`. */
  listen(listener: ProcessListener): void;
  /** From its listener. */
  isAtWork(): boolean;
  send(message: HostMessage, payload?: string): void;
  /** Like `send`, but waits for drain and then checks again whether the message is still wanted. */
  sendWhenRead(message: HostMessage, payload: string, isWanted: () => boolean): void;
  /** The newest 8 KiB of output; null if there was none. */
  tail(): string | null;
  note(text: string): void;
  /** Kills the process group; `onEnd` follows with this reason. */
  kill(reason: EndReason, detail?: string): void;
  /** Sends SIGTERM, and kills the group after `graceMs`. Settles when it has exited. `why` becomes the detail. */
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
/** Yields to other work during a flood of small messages. */
const BYTES_A_TURN = 131_072;
/**
 * A byte of a result is in several buffers and strings until it reaches the caller. Buffers in use at a collection are retained
 * longer.
 */
const ANSWERED_BYTES = 4 * 1_048_576;
const PRINTED_BYTES = 16 * 1_048_576;

export function startFramedProcess(options: FramedProcessOptions): FramedProcess {
  return frameProcess(spawnProcess(options), options.limits);
}

/** A started process; it leads a process group and a session. */
export interface StartedProcess {
  /** 0 if it could not be started. */
  readonly pid: number;
  readonly link: Duplex | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Calls back once, also for a process that has exited before. */
  onExit(listener: (exit: ProcessExit) => void): void;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started. */
  readonly error?: string;
}

function spawnProcess(options: FramedProcessOptions): StartedProcess {
  const [command, ...args] = options.command;
  const child = spawn(command, args, {
    cwd: options.workingDirectory,
    env: { ...options.environment } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  // Node creates no streams when no descriptor is left.
  const streams: Partial<Pick<typeof child, 'stdio' | 'stdout' | 'stderr'>> = child;
  const link = streams.stdio?.[LINK];
  const pid = child.pid ?? 0;
  lowerPriority(pid, () => child.exitCode !== null || child.signalCode !== null);
  return {
    pid,
    link: link instanceof Duplex ? link : null,
    stdout: streams.stdout ?? null,
    stderr: streams.stderr ?? null,
    onExit(listener) {
      child.once('exit', (code, signal) => listener({ code, signal }));
      child.once('error', (error) => {
        if (child.pid === undefined) listener({ code: null, signal: null, error: error.message });
      });
    },
  };
}

/** Takes ownership of a started process. */
export function frameProcess({ pid, link, stdout, stderr, onExit }: StartedProcess, limits: FrameLimits): FramedProcess {
  const tail = createOutputTail();
  const waiting: { readonly frame: () => Buffer; readonly isWanted: () => boolean }[] = [];
  const { promise: ended, resolve: settle } = Promise.withResolvers<ProcessEnd>();
  const open = new Set([link, stdout, stderr].filter((stream) => stream !== null));
  let listener: ProcessListener | null = null;
  let reason: EndReason = 'exit';
  let detail: string | null = null;
  let over = false;
  let exited: ProcessExit | null = null;

  const finish = (): void => {
    if (over) return;
    over = true;
    waiting.length = 0;
    for (const stream of open) stream.destroy();
    const end: ProcessEnd = { reason, code: exited?.code ?? null, signal: exited?.signal ?? null, detail };
    listener?.onEnd(end);
    settle(end);
  };

  const killGroup = (signal: NodeJS.Signals): void => {
    if (pid === 0) return;
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, signal);
    } catch {
      if (exited === null) killOne(pid, signal);
    }
  };

  const kill = (why: EndReason, words?: string): void => {
    if (over || reason !== 'exit' || exited !== null) return;
    reason = why;
    detail = words ?? null;
    killGroup('SIGKILL');
  };

  const reader = createFrameReader(limits, {
    onFrame(header, payload) {
      if (over || (reason !== 'exit' && reason !== 'unwanted')) return;
      const message = parseChildMessage(header);
      if (message === null) kill('protocol', 'it sent an invalid protocol message');
      else listener?.onMessage(message, payload);
    },
    onFault: (fault) => kill('protocol', fault),
  });

  const flush = (): void => {
    while (waiting.length > 0 && link !== null && !link.writableNeedDrain) {
      const next = waiting.shift();
      if (next?.isWanted() === true) link.write(next.frame());
    }
  };

  if (link !== null) {
    let bytesThisTurn = 0;
    const collector = createBufferCollector(ANSWERED_BYTES);
    link.on('data', (chunk: Buffer) => {
      bytesThisTurn += chunk.length;
      collector.passed(chunk.length);
      reader.push(chunk);
      if (bytesThisTurn < BYTES_A_TURN) return;
      bytesThisTurn = 0;
      link.pause();
      setImmediate(() => link.resume());
    });
    link.on('drain', flush);
    link.on('error', () => undefined);
  }
  const collector = createBufferCollector(PRINTED_BYTES);
  for (const [name, stream] of [
    ['stdout', stdout],
    ['stderr', stderr],
  ] as const) {
    stream?.on('data', (chunk: Buffer) => {
      collector.passed(chunk.length);
      tail.push(chunk);
      listener?.onOutput(name, chunk);
    });
    stream?.on('error', () => undefined);
  }
  for (const stream of open)
    stream.once('close', () => {
      open.delete(stream);
      if (open.size === 0 && exited !== null) finish();
    });
  onExit((exit) => {
    exited = exit;
    if (exit.error !== undefined) {
      reason = 'spawn_failed';
      detail = exit.error;
      return finish();
    }
    killGroup('SIGKILL');
    if (open.size === 0) finish();
    else setTimeout(finish, PIPES_EMPTY_MS).unref();
  });

  let isCorked = false;
  /** Messages of one turn (such as calls released by a commit) reach the process in one write. */
  const send = (message: HostMessage, payload?: string): void => {
    if (over || link?.writable !== true) return;
    if (!isCorked) {
      isCorked = true;
      link.cork();
      process.nextTick(() => {
        isCorked = false;
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
    isAtWork: () => listener?.isAtWork?.() ?? true,
    send,
    sendWhenRead(message, payload, isWanted) {
      if (waiting.length === 0 && link !== null && !link.writableNeedDrain) send(message, payload);
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

function killOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has exited meanwhile
  }
}

/**
 * Lowers the priority of a process below the server's. Call it right after the start: Linux changes one thread, and new threads
 * inherit from it. The process must lead a session of its own (`detached`), or the server's session is lowered with it.
 *
 * What can go wrong: the system refuses, or the process is gone; then the priority stays as it is. Linux may divide processor time
 * between sessions first (autogroup, sched(7)) and looks at priorities only inside of each; so the session gets the priority as
 * well. Without privileges, the kernel accepts one such change in 100 ms.
 */
export function lowerPriority(pid: number, isOver: () => boolean): void {
  if (pid === 0) return;
  try {
    setPriority(pid, Math.min(getPriority() + LOWER_BY, constants.priority.PRIORITY_LOW));
  } catch {
    return;
  }
  if (process.platform === 'linux') sessionsLowered = sessionsLowered.then(() => lowerSession(pid, isOver));
}

/** One after the other: very many processes would all try again. */
let sessionsLowered: Promise<void> = Promise.resolve();

/** A nice(2) value: with 5, a process gets a third of the processor time of the server. */
const LOWER_BY = 5;
const TRIES = 50;
const RETRY_MS = 110;

async function lowerSession(pid: number, isOver: () => boolean): Promise<void> {
  for (let tried = 1; tried <= TRIES && !isOver(); tried += 1) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(LOWER_BY));
    } catch (error) {
      if (!isBusy(error)) return;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

/** The newest output of a process, bounded. Control characters are preserved. */
interface OutputTail {
  push(bytes: Buffer | string): void;
  /** Null if there was no output. */
  text(): string | null;
}

const KEPT_BYTES = 8_192;

export function createOutputTail(keptBytes = KEPT_BYTES): OutputTail {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let cut = false;

  const shrink = (): void => {
    const all = Buffer.concat(chunks);
    cut ||= all.length > keptBytes;
    const kept = Buffer.from(all.subarray(Math.max(0, all.length - keptBytes)));
    chunks = [kept];
    bytes = kept.length;
  };

  return {
    push(added) {
      const chunk = typeof added === 'string' ? Buffer.from(added) : added;
      cut ||= chunk.length > keptBytes;
      chunks.push(Buffer.from(chunk.subarray(Math.max(0, chunk.length - keptBytes))));
      bytes += Math.min(chunk.length, keptBytes);
      if (bytes > 4 * keptBytes) shrink();
    },
    text() {
      shrink();
      if (bytes === 0) return null;
      const text = (chunks[0]?.toString('utf8') ?? '').replace(/^\uFFFD+/u, '');
      return cut ? `… (earlier output was truncated)\n${text}` : text;
    },
  };
}
