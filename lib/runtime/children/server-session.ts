import { type ChildProcess, spawn } from 'node:child_process';
import {
  type Client,
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  serializeMessage,
  SseError,
  type Transport,
} from '@modelcontextprotocol/client';
import { callBroken, explainServerError, isServerUnreachable, serverLost, statusOf } from './server-errors.ts';
import { readMessage } from './lenient-transport.ts';

/**
 * The connection to a server at a URL, renewed in place when the server has forgotten it after a restart or a session timeout.
 *
 * What can go wrong: a request is refused because the session is unknown (404, or 400 if another request on the session is refused
 * too; it was not carried out, so it is sent again); the stream of an older server breaks during calls (they may have been carried
 * out, and say so); the notification stream is lost between calls (the server is checked again, less and less often); a new
 * connection fails (reported as lost, and the process ends).
 */
export interface ServerLink {
  readonly client: Client;
  readonly by: 'standard streams' | 'Streamable HTTP' | 'HTTP+SSE';
}

export type OpenLink = (
  timeoutMs?: number,
) => Promise<{ readonly ok: true; readonly link: ServerLink } | { readonly ok: false; readonly reason: string }>;

export interface ServerSession {
  /** The newest. */
  link(): ServerLink;
  /** Runs `work`; retries once if the server has forgotten the session. */
  use<Value>(work: (client: Client) => Promise<Value>, signal?: AbortSignal): Promise<Value>;
}

interface ServerSessionOptions {
  readonly first: ServerLink;
  readonly open: OpenLink;
  readonly url: string;
  readonly warn: (words: string) => void;
  /** A new session of the server may offer other tools. */
  readonly onRenewed: () => void;
  readonly onEnd: (how: string) => void;
}

interface Held {
  readonly link: ServerLink;
  uses: number;
  isRetired: boolean;
  /** The server's notification stream is lost. */
  isStreamLost: boolean;
  readonly since: number;
}

const RENEW_MS = 10_000;
const CHECK_MS = 5_000;
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 60_000;
const REFUSES_SESSION: ReadonlySet<number | null> = new Set([400, 404]);

export function createServerSession({ first, open, url, warn, onRenewed, onEnd }: ServerSessionOptions): ServerSession {
  let current = hold(first);
  let renewing: Promise<Held> | null = null;
  let looks = 0;
  let timer: NodeJS.Timeout | null = null;

  function hold(link: ServerLink): Held {
    const held: Held = { link, uses: 0, isRetired: false, isStreamLost: false, since: performance.now() };
    const { client } = link;
    client.onclose = () => {
      if (!held.isRetired) onEnd('The connection to the MCP server was closed');
    };
    client.onerror = (error) => {
      if (held.isRetired) return;
      if (error instanceof SseError) return rejoin(held);
      held.isStreamLost ||= isServerUnreachable(error);
      if (held.isStreamLost || (isStreamRefusal(error) && REFUSES_SESSION.has(statusOf(error)))) checkLater(held);
    };
    void client.autoOpenedSubscription?.closed.then((cause) => {
      if (cause !== 'remote' || held.isRetired) return;
      held.isStreamLost = true;
      checkLater(held);
    });
    return held;
  }

  /** Running requests of the old session may finish; on a broken stream they cannot. */
  const retire = (held: Held, isBroken: boolean): void => {
    held.isRetired = true;
    if (isBroken || held.uses === 0) void held.link.client.close().catch(() => undefined);
  };

  const renew = (held: Held, why: string, isBroken = false): Promise<Held> => {
    if (held !== current) return Promise.resolve(current);
    renewing ??= (async () => {
      try {
        const outcome = await open(RENEW_MS);
        if (!outcome.ok) throw serverLost(outcome.reason);
        current = hold(outcome.link);
        retire(held, isBroken);
        warn(`${why}; reconnected`);
        onRenewed();
        return current;
      } finally {
        renewing = null;
      }
    })();
    return renewing;
  };

  const rejoin = (held: Held): void => {
    if (held !== current || renewing !== null) return;
    renew(held, 'The stream of the MCP server broke', true).catch((error: unknown) => {
      retire(held, true);
      onEnd(`The connection to the MCP server was closed. ${explainServerError(error, url)}`);
    });
  };

  const checkLater = (held: Held): void => {
    if (held !== current || timer !== null) return;
    if (performance.now() - held.since > LONGEST_LOOK_MS) looks = 0;
    timer = setTimeout(() => void look(held), Math.min(LONGEST_LOOK_MS, FIRST_LOOK_MS * 2 ** looks)).unref();
    looks += 1;
  };

  const look = async (held: Held): Promise<void> => {
    timer = null;
    if (held !== current) return;
    const state = await stateOf(held.link.client);
    if (state === 'known' && !held.isStreamLost) return;
    if (state === 'away') return checkLater(held);
    const why =
      state === 'forgotten' ? 'The MCP server had forgotten the session' : 'The MCP server had ended the stream of its notifications';
    await renew(held, why).catch(() => checkLater(held));
  };

  const isForgotten = async (held: Held, error: unknown): Promise<boolean> => {
    const status = statusOf(error);
    if (!REFUSES_SESSION.has(status)) return false;
    // Another request shows whether the session or only this request is refused.
    return held !== current || status === 404 || (await stateOf(held.link.client)) === 'forgotten';
  };

  const run = async <Value>(held: Held, work: (client: Client) => Promise<Value>): Promise<Value> => {
    held.uses += 1;
    try {
      return await work(held.link.client);
    } catch (error) {
      if (held !== current && error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) throw callBroken(error);
      throw error;
    } finally {
      held.uses -= 1;
      if (held.isRetired && held.uses === 0) void held.link.client.close().catch(() => undefined);
    }
  };

  return {
    link: () => current.link,
    async use(work, signal) {
      const held = (await renewing?.catch(() => null)) ?? current;
      try {
        return await run(held, work);
      } catch (error) {
        if (!(await isForgotten(held, error))) throw error;
        const next = await renew(held, `The MCP server had forgotten the session (${explainServerError(error, url)})`);
        signal?.throwIfAborted();
        return run(next, work);
      }
    },
  };
}

/** Sends a cheap request without effects. */
async function stateOf(client: Client): Promise<'known' | 'forgotten' | 'away'> {
  try {
    await client.request({ method: 'tools/list', params: {} }, { timeout: CHECK_MS });
    return 'known';
  } catch (error) {
    if (REFUSES_SESSION.has(statusOf(error))) return 'forgotten';
    return isServerUnreachable(error) ? 'away' : 'known';
  }
}

function isStreamRefusal(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ClientHttpFailedToOpenStream;
}

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

interface ServerProcessOptions {
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
