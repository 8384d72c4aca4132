import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import * as z from 'zod';
import { isExhausted } from '#lib/contract/exhaustion.ts';
import { OWNER_VARIABLE } from './messages.ts';
import { type FramedProcess, frameProcess, lowerPriority, type ProcessExit } from './framed-process.ts';
import { NO_MARK, type OrphanGuard, type OwnerMark } from './orphan-guard.ts';
import type { FrameLimits } from './frames.ts';

/**
 * Starts Python processes as copies of a fork server, one per interpreter, which has imported the child program already
 * (`children/python/switchboard_child/fork_server.py`). Linux only.
 *
 * What can go wrong: it cannot be started or does not become ready (processes are started directly); it dies (its processes run on,
 * their end is then known from their link; the next start starts another server, unless several died lately); it does not answer
 * (it is killed); a package was installed, or the interpreter replaced, since it started (it refuses, and another one takes its
 * place); the system has no more processes or file descriptors (the start fails, and the server stays); the host dies (it ends all its
 * processes). Without processes it ends after a while.
 */
export interface PythonForks {
  /**
   * Null: start it directly.
   * @throws if the system has no more processes or file descriptors
   */
  start(interpreter: ForkInterpreter, mark: OwnerMark, workingDirectory: string): Promise<FramedProcess | null>;
  /** Ends the servers, and with them their last processes. */
  close(): Promise<void>;
}

export interface ForkInterpreter {
  readonly program: string;
  /** Of one extension only: a fork server is started with its second process. */
  readonly isOwn: boolean;
}

export interface PythonForksOptions {
  /** The command of a server. */
  commandOf(interpreter: string): readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: FrameLimits;
  readonly orphans?: OrphanGuard | undefined;
  /** How long a server without processes is kept. */
  readonly unusedMs?: number;
}

const READY_MS = 10_000;
const ANSWER_MS = 10_000;
const UNUSED_MS = 600_000;
const CLOSE_MS = 2_000;
/** This many failures within this time: processes are started directly for as long. */
const FAILURES_MOST = 3;
const FAILURES_MS = 300_000;

interface Place {
  server: ForkServer | null;
  starts: number;
  failedAt: readonly number[];
}

export function createPythonForks(options: PythonForksOptions): PythonForks {
  const places = new Map<string, Place>();
  const servers = new Set<ForkServer>();
  let isClosed = false;

  const startServer = (interpreter: string, place: Place): ForkServer => {
    const server = startForkServer(options, interpreter, {
      onUnusable() {
        if (place.server === server) place.server = null;
      },
      onEnd(isExpected) {
        servers.delete(server);
        if (!isExpected) place.failedAt = [...place.failedAt, performance.now()];
      },
    });
    servers.add(server);
    return server;
  };

  const serverOf = (interpreter: string, place: Place): ForkServer | null => {
    place.failedAt = place.failedAt.filter((at) => performance.now() - at < FAILURES_MS);
    if (place.server === null && place.failedAt.length >= FAILURES_MOST) return null;
    return (place.server ??= startServer(interpreter, place));
  };

  return {
    async start({ program, isOwn }, mark, workingDirectory) {
      if (process.platform !== 'linux') return null;
      const place = places.get(program) ?? { server: null, starts: 0, failedAt: [] };
      places.set(program, place);
      place.starts += 1;
      if (isOwn && place.starts === 1) return null;
      for (let tried = 1; tried <= FAILURES_MOST && !isClosed; tried += 1) {
        const server = serverOf(program, place);
        if (server === null) return null;
        const found = (await server.ready) ? await server.fork(mark, workingDirectory) : null;
        if (found !== null) return found;
      }
      return null;
    },
    async close() {
      isClosed = true;
      await Promise.all([...servers].map((server) => server.end()));
    },
  };
}

interface ForkServer {
  /** False if it does not become ready. Rejects if the system has no more processes or file descriptors. */
  readonly ready: Promise<boolean>;
  /** Null if this server starts no more processes. */
  fork(mark: OwnerMark, workingDirectory: string): Promise<FramedProcess | null>;
  end(): Promise<void>;
}

interface ForkServerOwner {
  /** It starts no more processes. */
  onUnusable(): void;
  onEnd(isExpected: boolean): void;
}

const MESSAGE = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('stale'), id: z.number() }),
  z.object({ type: z.literal('failed'), id: z.number(), message: z.string() }),
  z.object({ type: z.literal('stream'), id: z.number(), pid: z.number(), name: z.enum(['link', 'stdout', 'stderr']) }),
  z.object({ type: z.literal('exit'), id: z.number(), code: z.number().nullable(), signal: z.string().nullable() }),
]);

/** A process between its request and its exit. */
interface Fork {
  readonly sockets: Map<string, Socket>;
  resolve(found: FramedProcess | null): void;
  reject(error: Error): void;
  exit: ProcessExit | null;
  onExit: ((exit: ProcessExit) => void) | null;
}

function startForkServer(options: PythonForksOptions, interpreter: string, owner: ForkServerOwner): ForkServer {
  const mark = options.orphans?.mark(false) ?? NO_MARK;
  const [command, ...args] = options.commandOf(interpreter);
  const forks = new Map<number, Fork>();
  const { promise: ready, resolve: settleReady, reject: failReady } = Promise.withResolvers<boolean>();
  ready.catch(() => undefined); // reported by the starts that wait for it
  const { promise: gone, resolve: settleGone } = Promise.withResolvers<void>();
  let lastId = 0;
  let isUsable = true;
  let isExpected = false;
  let isGone = false;
  let unusedTimer: NodeJS.Timeout | undefined;

  const server = spawn(command, args, {
    cwd: '/',
    env: { ...options.environment, ...mark.environment } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
    serialization: 'json',
  });
  const pid = server.pid ?? 0;
  options.orphans?.started(pid, mark);
  lowerPriority(pid, () => isGone);
  const readyTimer = setTimeout(() => server.kill('SIGKILL'), READY_MS);

  const retire = (): void => {
    if (!isUsable) return;
    isUsable = false;
    owner.onUnusable();
  };

  const closeChannel = (): void => {
    isExpected = true;
    if (server.connected) server.disconnect();
  };

  /** A retired server ends with its last process; one without processes ends a while later. */
  const onFewer = (): void => {
    clearTimeout(unusedTimer);
    if (forks.size > 0 || isGone) return;
    const end = (): void => {
      retire();
      closeChannel();
    };
    if (isUsable) unusedTimer = setTimeout(end, options.unusedMs ?? UNUSED_MS).unref();
    else end();
  };

  const finish = (id: number, exit: ProcessExit): void => {
    const fork = forks.get(id);
    if (fork === undefined || !forks.delete(id)) return;
    fork.exit = exit;
    fork.onExit?.(exit);
    onFewer();
  };

  const drop = (id: number, settle: (fork: Fork) => void): void => {
    const fork = forks.get(id);
    if (fork === undefined) return;
    forks.delete(id);
    settle(fork);
    onFewer();
  };

  const onStream = (id: number, child: number, name: string, socket: Socket): void => {
    const fork = forks.get(id);
    if (fork === undefined) return void socket.destroy();
    fork.sockets.set(name, socket);
    const [link, stdout, stderr] = ['link', 'stdout', 'stderr'].map((one) => fork.sockets.get(one));
    if (link === undefined || stdout === undefined || stderr === undefined) return;
    const started = {
      pid: child,
      link,
      stdout,
      stderr,
      onExit(listener: (exit: ProcessExit) => void): void {
        if (fork.exit === null) fork.onExit = listener;
        else listener(fork.exit);
      },
    };
    // Then it leads a session of its own.
    link.once('data', () => lowerPriority(child, () => fork.exit !== null));
    fork.resolve(frameProcess(started, options.limits));
  };

  const onMessage = (received: unknown, handle: unknown): void => {
    const parsed = MESSAGE.safeParse(received);
    if (!parsed.success) return void server.kill('SIGKILL');
    const message = parsed.data;
    switch (message.type) {
      case 'ready':
        clearTimeout(readyTimer);
        return settleReady(true);
      case 'stale':
        retire();
        return drop(message.id, (fork) => fork.resolve(null));
      case 'failed':
        return drop(message.id, (fork) => {
          for (const socket of fork.sockets.values()) socket.destroy();
          fork.reject(new Error(message.message));
        });
      case 'stream':
        if (handle instanceof Socket) onStream(message.id, message.pid, message.name, handle);
        return;
      case 'exit':
        return finish(message.id, { code: message.code, signal: signalOf(message.signal) });
    }
  };

  const onGone = (): void => {
    if (isGone) return;
    isGone = true;
    clearTimeout(readyTimer);
    clearTimeout(unusedTimer);
    options.orphans?.ended(pid, mark, false);
    settleReady(false);
    retire();
    for (const [id, fork] of forks) {
      const link = fork.sockets.get('link');
      if (fork.sockets.size < STREAMS || link === undefined) drop(id, ({ resolve }) => resolve(null));
      // Its exit status is lost with its parent.
      else if (link.closed) finish(id, { code: null, signal: null });
      else link.once('close', () => finish(id, { code: null, signal: null }));
    }
    owner.onEnd(isExpected);
    settleGone();
  };

  server.on('message', onMessage);
  server.once('error', (error) => {
    if (isExhausted({ code: 'spawn_failed', message: error.message })) {
      isExpected = true;
      failReady(error);
    }
    onGone();
  });
  server.once('exit', onGone);

  return {
    ready,
    async fork(owned, directory) {
      if (!isUsable || !server.connected) return null;
      clearTimeout(unusedTimer);
      const id = (lastId += 1);
      const { promise, resolve, reject } = Promise.withResolvers<FramedProcess | null>();
      const timer = setTimeout(() => server.kill('SIGKILL'), ANSWER_MS);
      void promise.finally(() => clearTimeout(timer)).catch(() => undefined);
      forks.set(id, { sockets: new Map(), resolve, reject, exit: null, onExit: null });
      const request = { type: 'fork', id, mark: owned.environment[OWNER_VARIABLE] ?? null, group: owned.controlGroup, directory };
      server.send(request, (error) => {
        if (error !== null) drop(id, (fork) => fork.resolve(null));
      });
      return promise;
    },
    async end() {
      closeChannel();
      const timer = setTimeout(() => server.kill('SIGKILL'), CLOSE_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}

const STREAMS = 3;

function signalOf(name: string | null): NodeJS.Signals | null {
  return name === null ? null : (SIGNALS.safeParse(name).data ?? 'SIGKILL');
}

const SIGNALS = z.custom<NodeJS.Signals>((name) => typeof name === 'string' && Object.hasOwn(constants.signals, name));
