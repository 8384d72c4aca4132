import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createBoundedText } from './bounded-text.ts';
import { endMarked, RUN_MARK } from './end-marked.ts';
import type { CutText } from './bounded-text.ts';

/**
 * Runs one program. What can go wrong: it does not exit (its process group gets SIGTERM, then SIGKILL); a child keeps its output
 * open (it is killed, with a note); a child left the group (found by its marker variable on Linux; without it the host kills
 * it with this extension's process); endless output (only beginning and end are stored); this process is killed (the groups
 * are killed with it).
 */
export interface Program {
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly maxChars: number;
  readonly signal: AbortSignal;
}

export type ProgramOutcome =
  | { readonly kind: 'not_started'; readonly message: string }
  | {
      readonly kind: 'ended';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly timedOut: boolean;
      readonly leftBehind: boolean;
      readonly stdout: CutText;
      readonly stderr: CutText;
    };

/** One listener for all calls: Node warns about more than ten listeners. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});

const GRACE_MS = 2_000;
const LAST_OUTPUT_MS = 500;
const PASSED_ON = /^(PATH|HOME|LANG|LC_[A-Z]+|TZ|TMPDIR|SystemRoot)$/;

/** Rejects with the reason of `signal` once a cancelled program is gone. */
export function runProgram(options: Program): Promise<ProgramOutcome> {
  options.signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ProgramOutcome>();
  const stdout = createBoundedText(options.maxChars);
  const stderr = createBoundedText(options.maxChars);
  const timers: NodeJS.Timeout[] = [];
  const mark = randomUUID();
  let timedOut = false;
  let leftBehind = false;

  let child;
  try {
    child = spawn(options.program, [...options.words], {
      cwd: options.cwd,
      env: { ...chosenEnvironment(), [RUN_MARK]: mark },
      shell: false,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
  } catch (error) {
    return Promise.resolve({ kind: 'not_started', message: whyNotStarted(options.program, error) });
  }
  const started = child;
  started.stdout.on('data', (bytes: Buffer) => stdout.write(bytes));
  started.stderr.on('data', (bytes: Buffer) => stderr.write(bytes));

  const stop = (): void => {
    signalGroup(started, 'SIGTERM');
    timers.push(setTimeout(() => signalGroup(started, 'SIGKILL'), GRACE_MS));
  };
  const release = (): void => {
    for (const timer of timers) clearTimeout(timer);
    options.signal.removeEventListener('abort', stop);
    running.delete(started);
  };

  timers.push(
    setTimeout(() => {
      timedOut = true;
      stop();
    }, options.timeoutMs),
  );
  options.signal.addEventListener('abort', stop, { once: true });
  running.add(started);

  started.once('error', (error) => {
    release();
    resolve({ kind: 'not_started', message: whyNotStarted(options.program, error) });
  });
  started.once('exit', () => {
    timers.push(
      setTimeout(() => {
        leftBehind = true;
        started.stdout.destroy();
        started.stderr.destroy();
      }, LAST_OUTPUT_MS),
    );
  });
  started.once('close', (exitCode, signal) => {
    signalGroup(started, 'SIGKILL');
    release();
    const isCut = timedOut || leftBehind || options.signal.aborted;
    void (isCut ? endMarked(mark) : Promise.resolve()).then(() => {
      if (options.signal.aborted) reject(asError(options.signal.reason));
      else resolve({ kind: 'ended', exitCode, signal, timedOut, leftBehind, stdout: stdout.end(), stderr: stderr.end() });
    });
  });
  return promise;
}

/** Programs do not get the secrets in this extension's environment. */
function chosenEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of Object.keys(env)) if (!PASSED_ON.test(name)) delete env[name];
  return env;
}

/** A process group lives until its last process ends; an empty one is no error. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error;
  }
}

const BUILT_INTO_SHELLS = new Set(['cd', 'export', 'source', '.', 'alias', 'set', 'unset', 'eval', 'exec', 'ulimit', 'umask']);

function whyNotStarted(program: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  // A folder of PATH that this user may not read also answers EACCES.
  const isNotFound = code === 'ENOENT' || (code === 'EACCES' && !program.includes('/'));
  if (isNotFound && BUILT_INTO_SHELLS.has(program))
    return `“${program}” is part of a shell, and there is none here. Use \`cwd\` for the folder to run in.`;
  if (isNotFound)
    return `There is no program “${program}”. Check its spelling; it must be on PATH, or be a path from \`cwd\` such as ./build.sh.`;
  if (code === 'EACCES') return `“${program}” may not be run. Name a program, not a folder, and make a script executable (chmod +x).`;
  if (code === 'ERR_ACCESS_DENIED')
    return 'This extension may not start programs. Add shell:run to EXTENSION_ALLOW and restart the server.';
  if (code === 'E2BIG') return 'The command is too long for this machine. Put the data in a file and name the file.';
  return `“${program}” could not be started: ${error instanceof Error ? error.message : String(error)}`;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
