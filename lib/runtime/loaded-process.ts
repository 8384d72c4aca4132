import { refuseAsk, askRefusal } from '#lib/contract/client-asks.ts';
import type { Answerer, AskReply } from '#lib/contract/client-asks.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import { type ChannelRequests, createChannelRequests } from './channel-in-process.ts';
import { isJson } from './is-json.ts';
import { createLateSecrets } from './late-secrets.ts';
import { childrenOf } from './memory-watch.ts';
import { createMessageFlow, leftOutText } from './message-flow.ts';
import { withHeapAbort } from './process-end-messages.ts';
import { failedCall } from './pending-call.ts';
import {
  parseCallError,
  parseClientAsk,
  parseIssues,
  parseLoadedFiles,
  parseLogPayload,
  parseRawDescription,
  parseServerError,
  parseServerNotice,
  parseStatus,
} from './parse-child-message.ts';
import type { CallIssue, LogLevel } from '#lib/contract/call.ts';
import type { ExtensionStatus } from '#lib/contract/extension.ts';
import type { ServerNotice, ServerRequestMethod } from '#lib/contract/server-features.ts';
import type { ExtensionLog, LogStream } from './extension-log.ts';
import type { FramedProcess, ProcessEnd } from './framed-process.ts';
import type { ChildMessage, HostMessage, ToolSchemas } from './messages.ts';
import type { PendingCall } from './pending-call.ts';
import type { ExtensionDescription, LoadedFile, RawDescription, RequestFrom, RequestOutcome } from './runtime.ts';

/**
 * A process that has imported its extension: passes calls to it and results back.
 *
 * What can go wrong: a call never returns. When it is interrupted, the process gets a ping; without an answer in time it is ended, with its
 * other calls. Late answers are dropped. A message that breaks the protocol ends the process: later ones cannot be trusted.
 */
export interface LoadedProcess {
  readonly pid: number;
  begin(call: PendingCall, tool: number, argsText: string): void;
  validate(tool: number, argsText: string): Promise<readonly CallIssue[] | null>;
  request(method: ServerRequestMethod, paramsText: string, signal: AbortSignal, from?: RequestFrom): Promise<RequestOutcome>;
  status(): Promise<ExtensionStatus>;
  readonly channel: Pick<ChannelRequests, 'ask'>;
  /** Whether it has no pending requests. */
  isQuiet(): boolean;
  /** Remaining activity without a call, such as a timer; null: none. */
  activity(): Promise<string | null>;
  /** Time without an answer since a call was interrupted; 0 after an answer. Calls that begin in a silent process may end with it. */
  silentMs(): number;
  /** Number of running calls. */
  calls(): number;
  /** Notifies the extension that no caller waits for this call any more. */
  abandon(call: PendingCall, reason: 'timeout' | 'cancelled'): void;
  attach(owner: LoadedProcessOwner): void;
  tail(): string | null;
  kill(): void;
  end(graceMs: number, why?: string): Promise<void>;
}

export interface LoadedProcessOwner {
  /** Called once, before the owner answers the remaining calls. */
  onEnd(end: ProcessEnd, calls: readonly PendingCall[]): void;
  /** An uncaught error; replace the process once it is idle. */
  onStray(text: string): void;
  /** It sent a new description: returns the new tools, or null if nothing changes. */
  onRaw(raw: RawDescription): ExtensionDescription | null;
  /** An MCP server reports something to its clients. */
  onNotice(notice: ServerNotice): void;
  /** It has not answered for a while since a call was interrupted. */
  onSilent(): void;
  /** It has answered after `onSilent`. */
  onAnswered(): void;
}

/** The payload of a `tools` message. */
export function toolSchemas(tools: ExtensionDescription['tools']): string {
  const schemas: ToolSchemas[] = tools.map((tool) => ({ name: tool.name, parameters: tool.parameters, outputSchema: tool.outputSchema }));
  return JSON.stringify(schemas);
}

/** @param why without a full stop */
export function unreachableOutcome(why: string): RequestOutcome {
  return { ok: false, error: { code: SERVER_AWAY, message: `${why}.`, away: true } };
}

const SERVER_AWAY = -32_000;
/** Of one process. */
const ASKS_MOST = 100;
const PONG_MS = 1_500;
/** A healthy process answers within a few milliseconds; within this on a busy machine, or while Python inspects its threads. */
const SILENT_MS = 250;

type Waiting =
  | { readonly type: 'call'; readonly id: number; readonly call: PendingCall }
  | { readonly type: 'request'; readonly answerer: Answerer | undefined; readonly resolve: (outcome: RequestOutcome) => void }
  | { readonly type: 'issues'; readonly resolve: (issues: readonly CallIssue[] | null) => void }
  | { readonly type: 'activity'; readonly resolve: (activity: string | null) => void }
  | { readonly type: 'status'; readonly resolve: (status: ExtensionStatus) => void };

export interface LoadedProcessOptions {
  readonly process: FramedProcess;
  readonly log: ExtensionLog;
  /** Removes the path of the extensions folder from a stack. */
  shorten(stack: string): string;
  readonly now: () => number;
  readonly onLoaded: (files: readonly LoadedFile[]) => void;
  readonly streams: Readonly<Record<'stdout' | 'stderr', LogStream>>;
  /** Its child is the MCP server itself. */
  readonly runsInChild?: boolean | undefined;
}

export function createLoadedProcess({
  process,
  log,
  shorten,
  now,
  streams,
  onLoaded,
  runsInChild = false,
}: LoadedProcessOptions): LoadedProcess {
  const waiting = new ShortLivedMap<number, Waiting>();
  const late = createLateSecrets(now);
  let lastId = 0;
  let owner: LoadedProcessOwner | null = null;
  let pendingRaw: RawDescription | null = null;
  let over: { readonly end: ProcessEnd; readonly calls: readonly PendingCall[] } | null = null;
  let asksOpen = 0;
  let pingId = 0;
  let pingTimer: NodeJS.Timeout | null = null;
  let silentSince: number | null = null;
  let silentTimer: NodeJS.Timeout | undefined;

  const nextId = (): number => {
    lastId += 1;
    return lastId;
  };

  const take = (id: number): Waiting | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    if (found === undefined || found.type === 'call') late.end(id, found?.call.hooks ?? null);
    return found;
  };

  const callOf = (id: number): PendingCall | null => {
    const found = waiting.get(id);
    return found?.type === 'call' ? found.call : null;
  };

  /** Output of a call without its secrets. */
  const cleanOf = (id: number, text: string): string => {
    const call = callOf(id);
    return call === null ? late.clean(id, text) : (call.hooks.withoutSecrets?.(text) ?? text);
  };

  /** The same for output of an unknown call. */
  const cleanStray = (text: string): string => [...waiting.keys()].reduce((less, id) => cleanOf(id, less), late.cleanAny(text));

  const rejectMessage = (): void => process.kill('protocol', 'it sent an answer that could not be read');

  const ping = (patienceMs = PONG_MS): void => {
    if (pingTimer !== null) return;
    pingId = nextId();
    process.send({ type: 'ping', id: pingId });
    pingTimer = setTimeout(() => process.kill('unresponsive'), patienceMs);
  };

  const stopPing = (): void => {
    if (pingTimer !== null) clearTimeout(pingTimer);
    pingTimer = null;
    clearTimeout(silentTimer);
    silentSince = null;
  };

  const isQuiet = (): boolean => waiting.size === 0 && pingTimer === null;

  const channel = createChannelRequests({ nextId, send: process.sendWhenRead, ping });

  const onResult = (id: number, payload: Buffer): void => {
    if (callOf(id) !== null && !isJson(payload)) return process.kill('protocol', 'it sent a result that is not JSON');
    flow.end(id);
    const found = take(id);
    if (found?.type === 'call') found.call.settle({ status: 'succeeded', resultText: payload.toString('utf8') });
  };

  const onError = (id: number, payload: Buffer): void => {
    const error = parseCallError(payload);
    if (error === null) return rejectMessage();
    flow.end(id);
    const found = take(id);
    if (found?.type === 'call') found.call.settle({ status: 'failed', error });
    if (found?.type === 'issues') found.resolve([{ path: '', keyword: 'unavailable', message: error.message }]);
  };

  const onAnswer = (id: number, ok: boolean, payload: Buffer): void => {
    const error = ok ? null : parseServerError(payload);
    if (ok ? !isJson(payload) : error === null) return rejectMessage();
    const found = take(id);
    if (found?.type === 'request')
      found.resolve(error === null ? { ok: true, resultText: payload.toString('utf8') } : { ok: false, error });
  };

  const onAsk = (id: number, callId: number, payload: Buffer): void => {
    const ask = parseClientAsk(payload);
    if (ask === null) return rejectMessage();
    const reply = (answer: AskReply): void => {
      if (over === null) process.send({ type: 'reply', id }, JSON.stringify(answer));
    };
    const found = waiting.get(callId);
    const call = found?.type === 'call' ? found.call : null;
    const answerer = found?.type === 'request' ? found.answerer : call?.hooks.answerer;
    const refusal = askRefusal(ask, answerer?.kinds ?? []);
    if (answerer === undefined || refusal !== null) return reply(refusal ?? refuseAsk('The call has ended.'));
    if (asksOpen >= ASKS_MOST) return reply(refuseAsk(`More than ${ASKS_MOST} questions are open.`));
    asksOpen += 1;
    const answered = answerer.answer(ask);
    void (call === null ? answered : call.waitFor(answered)).then((answer) => {
      asksOpen -= 1;
      reply(answer);
    });
  };

  const onLog = (id: number, level: LogLevel, payload: Buffer): void => {
    const entry = parseLogPayload(payload);
    if (entry === null) return rejectMessage();
    const call = callOf(id);
    const message = cleanOf(id, entry.message);
    process.note(`${message}\n`);
    log.write(level, 'log', message, call?.hooks.callId ?? null);
    call?.hooks.onLog({ time: new Date(now()).toISOString(), level, data: null, ...entry });
  };

  const flow = createMessageFlow({
    onLog,
    onProgress: (id, step) => callOf(id)?.progress(step),
    onLeftOut(lines, id) {
      const message = leftOutText(lines);
      if (id === null) log.noteLeftOut(message);
      else callOf(id)?.hooks.onLog({ time: new Date(now()).toISOString(), level: 'warn', data: null, message, isGap: true });
    },
  });

  /** It may arrive before there is an owner. */
  const reportRaw = (): void => {
    if (owner === null || pendingRaw === null) return;
    const next = owner.onRaw(pendingRaw);
    pendingRaw = null;
    if (next !== null) process.send({ type: 'tools', eager: false }, toolSchemas(next.tools));
  };

  const onMessage = (message: ChildMessage, payload: Buffer): void => {
    switch (message.type) {
      case 'result':
        return onResult(message.id, payload);
      case 'error':
        return onError(message.id, payload);
      case 'log':
        return flow.log(message.id, message.level, payload);
      case 'trace':
        return log.write('error', 'log', cleanOf(message.id, shorten(payload.toString('utf8'))), callOf(message.id)?.hooks.callId ?? null);
      case 'progress':
        return flow.progress(message.id, { done: message.done, total: message.total, message: message.message });
      case 'channel':
        return channel.onAnswer(message.id, message.how, payload);
      case 'pong':
        if (message.id !== pingId) return;
        stopPing();
        return owner?.onAnswered();
      case 'answer':
        return onAnswer(message.id, message.ok, payload);
      case 'ask':
        return onAsk(message.id, message.call, payload);
      case 'notice': {
        const notice = parseServerNotice(payload);
        return notice === null ? rejectMessage() : owner?.onNotice(notice);
      }
      case 'issues': {
        const issues = parseIssues(payload);
        const found = take(message.id);
        if (found?.type === 'issues') found.resolve(issues);
        return issues === null ? rejectMessage() : undefined;
      }
      case 'status': {
        const found = take(message.id);
        if (found?.type === 'status')
          found.resolve(parseStatus(payload) ?? { value: null, error: '`status()` returned an invalid status', duration_ms: null });
        return;
      }
      case 'stray': {
        const text = cleanStray(shorten(payload.toString('utf8')));
        process.note(`${text}\n`);
        log.write('error', 'log', text, null);
        return owner?.onStray(text);
      }
      case 'idle': {
        const found = take(message.id);
        if (found?.type === 'activity') found.resolve(message.activity);
        return;
      }
      case 'raw': {
        const raw = parseRawDescription(payload);
        if (raw === null) return rejectMessage();
        pendingRaw = raw;
        return reportRaw();
      }
      case 'loaded': {
        const files = parseLoadedFiles(payload);
        return files === null ? rejectMessage() : onLoaded(files);
      }
      case 'exiting':
      case 'failed':
      case 'ready':
      case 'hello':
      case 'refused':
      case 'checked':
      case 'token':
    }
  };

  const onEnd = (plain: ProcessEnd): void => {
    stopPing();
    flow.close();
    streams.stdout.end();
    streams.stderr.end();
    const end = withHeapAbort(plain, process.tail());
    const left = [...waiting.values()];
    const calls = left.flatMap((one) => (one.type === 'call' ? [one.call] : []));
    waiting.clear();
    late.clear();
    for (const one of left) {
      if (one.type === 'issues') one.resolve(null);
      if (one.type === 'activity') one.resolve(null);
      if (one.type === 'request') one.resolve(unreachableOutcome('its process ended before it answered'));
      if (one.type === 'status') one.resolve({ value: null, error: 'The process ended while it was asked', duration_ms: null });
    }
    over = { end, calls };
    channel.onEnd(end);
    owner?.onEnd(end, calls);
  };

  process.listen({
    onMessage,
    onEnd,
    onOutput: (stream, chunk) => streams[stream].push(chunk),
    isAtWork: () => !isQuiet(),
  });

  const ask = <Answer>(ms: number, late: Answer, send: (id: number, resolve: (answer: Answer) => void) => void): Promise<Answer> =>
    new Promise((resolve) => {
      const id = nextId();
      const timer = setTimeout(() => {
        waiting.delete(id);
        resolve(late);
      }, ms);
      send(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
    });

  return {
    pid: process.pid,
    channel,
    isQuiet,
    async activity() {
      if (!runsInChild && childrenOf(process.pid).length > 0) return 'a child process';
      return new Promise((resolve) => {
        if (over !== null) return resolve(null);
        const id = nextId();
        const timer = setTimeout(() => {
          // With a request, it is used again; the limit of that request decides.
          if (waiting.size > 1) take(id);
          else return process.kill('unresponsive');
          resolve(null);
        }, LIMITS.statusTimeoutMs);
        waiting.set(id, {
          type: 'activity',
          resolve(activity) {
            clearTimeout(timer);
            resolve(activity);
          },
        });
        process.send({ type: 'idle', id });
      });
    },
    begin(call, tool, argsText) {
      if (over !== null) return call.settle(failedCall('extension_crashed', 'The process of this extension had just ended. Try again.'));
      const id = nextId();
      waiting.set(id, { type: 'call', id, call });
      const { callId, traceparent, meta, answerer, member } = call.hooks;
      const plain: HostMessage = { type: 'call', id, tool, callId };
      const message: HostMessage =
        traceparent === undefined && meta === undefined && answerer === undefined && member === undefined
          ? plain
          : {
              ...plain,
              ...(traceparent === undefined ? {} : { traceparent }),
              ...(meta === undefined ? {} : { meta }),
              ...(answerer === undefined ? {} : { asks: answerer.kinds }),
              ...(member === undefined ? {} : { member }),
            };
      process.sendWhenRead(message, argsText, () => !call.isSettled());
    },
    validate: (tool, argsText) =>
      ask<readonly CallIssue[] | null>(LIMITS.statusTimeoutMs, null, (id, resolve) => {
        if (over !== null) return resolve(null);
        waiting.set(id, { type: 'issues', resolve });
        process.sendWhenRead({ type: 'validate', id, tool }, argsText, () => waiting.has(id));
      }),
    status: () =>
      ask<ExtensionStatus>(
        LIMITS.statusTimeoutMs,
        { value: null, error: `\`status()\` did not answer within ${LIMITS.statusTimeoutMs} ms`, duration_ms: null },
        (id, resolve) => {
          waiting.set(id, { type: 'status', resolve });
          process.send({ type: 'status', id });
        },
      ),
    request: (method, paramsText, signal, { answerer, member } = {}) =>
      new Promise((resolve) => {
        if (over !== null) return resolve(unreachableOutcome('its process had just ended'));
        const id = nextId();
        const settle = (outcome: RequestOutcome): void => {
          signal.removeEventListener('abort', cancel);
          resolve(outcome);
        };
        const cancel = (): void => {
          waiting.delete(id);
          process.send({ type: 'abort', id, reason: 'cancelled' });
          settle(unreachableOutcome('it did not answer in time, or the request was cancelled'));
        };
        waiting.set(id, { type: 'request', answerer, resolve: settle });
        signal.addEventListener('abort', cancel);
        if (signal.aborted) cancel();
        else
          process.sendWhenRead(
            {
              type: 'request',
              id,
              method,
              ...(answerer === undefined ? {} : { asks: answerer.kinds }),
              ...(member === undefined ? {} : { member }),
            },
            paramsText,
            () => waiting.has(id),
          );
      }),
    abandon(call, reason) {
      const left = [...waiting.values()].find((one) => one.type === 'call' && one.call === call);
      if (left?.type !== 'call') return;
      waiting.delete(left.id);
      late.abandon(left.id, call.hooks);
      process.send({ type: 'abort', id: left.id, reason });
      ping();
      if (silentSince !== null) return;
      silentSince = performance.now();
      silentTimer = setTimeout(() => owner?.onSilent(), SILENT_MS);
    },
    silentMs: () => (silentSince === null ? 0 : Math.max(1, performance.now() - silentSince)),
    calls: () => [...waiting.values()].filter(({ type }) => type === 'call').length,
    attach(next) {
      owner = next;
      if (over !== null) next.onEnd(over.end, over.calls);
      else reportRaw();
    },
    tail: () => process.tail(),
    kill: () => process.kill('unwanted'),
    end: (graceMs, why) => process.end(graceMs, why),
  };
}
