import { isExhausted } from '#lib/contract/exhaustion.ts';
import { buildChildProgram } from './child-program.ts';
import { createCodeCacheWriter } from './code-cache.ts';
import { parseCallError, parseSchemaFault } from './parse-child-message.ts';
import type { CallError } from '#lib/contract/call.ts';
import type { FramedProcess, ProcessEnd } from './framed-process.ts';
import type { ChildMessage } from './messages.ts';

/**
 * Validates arguments and results for runtimes whose language has no validator, with the code of Node's children, in one process
 * for all of them.
 *
 * What can go wrong: a schema or pattern needs endless time or memory. The process answers in order, so the oldest check is the
 * culprit: it fails, the process is replaced, and the other checks are sent again. Schemas accumulate over reloads; after many of
 * them the process is replaced too. The system has no more processes or file descriptors: values wait for a process, and schemas
 * are not reported as faulty.
 */
export interface SchemaGuard {
  /** Starts the process, so that the first check does not wait. */
  prepare(): void;
  /** The error in a schema; null if it is usable. */
  inspect(schema: string): Promise<SchemaFault | null>;
  /** @param schema JSON text; equal texts are compiled once */
  check(schema: string, what: 'arguments' | 'result', text: string): Promise<Checked>;
  close(): Promise<void>;
}

export interface SchemaFault {
  /** JSON Pointer into the schema. */
  readonly path: string;
  readonly message: string;
  /** The schema may be usable: no process could check it. */
  readonly isUnchecked?: boolean;
}

/** `text`: the arguments with defaults. */
export type Checked = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: CallError };

export interface SchemaGuardOptions {
  readonly cacheDir: string;
  /** Starts a Node process without permissions that runs this program; its memory is watched. */
  readonly start: (program: string) => Promise<FramedProcess>;
}

interface Request {
  readonly schema: string;
  readonly what: 'schema' | 'arguments' | 'result';
  readonly text: string;
  readonly resolve: (answer: Answer) => void;
  tries: number;
  waits: number;
}

type Answer =
  | { readonly type: 'accepted'; readonly text: string }
  | { readonly type: 'refused'; readonly payload: Buffer }
  | { readonly type: 'lost'; readonly message: string; readonly isUnchecked: boolean };

interface Session {
  readonly process: FramedProcess;
  readonly schemas: Map<string, number>;
  readonly waiting: Map<number, Request>;
  isReady: boolean;
  isOver: boolean;
}

/** Many times longer than the largest arguments need, since other processes may use the processors. */
const ANSWER_MS = 5_000;
const START_MS = 10_000;
const SCHEMAS_MOST = 5_000;
const TRIES = 3;
const WAITS = 30;
const WAIT_MS = 1_000;

export function createSchemaGuard({ cacheDir, start }: SchemaGuardOptions): SchemaGuard {
  let session: Promise<Session> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let lastId = 0;
  let isClosed = false;
  const codeCache = createCodeCacheWriter();

  const watch = (current: Session): void => {
    if (timer !== null) clearTimeout(timer);
    timer = current.isReady && current.waiting.size === 0 ? null : setTimeout(() => current.process.kill('unresponsive'), limitOf(current));
    timer?.unref();
  };

  const begin = async (): Promise<Session> => {
    const program = await buildChildProgram(cacheDir, 'guard');
    const process = await start(program);
    if (!isClosed) codeCache.write(program);
    const current: Session = { process, schemas: new Map(), waiting: new Map(), isReady: false, isOver: false };
    process.listen({
      onMessage: (message, payload) => onMessage(current, message, payload),
      onEnd: (end) => onEnd(current, end),
      onOutput: () => undefined,
      isAtWork: () => !current.isReady || current.waiting.size > 0,
    });
    watch(current);
    return current;
  };

  const ensure = (): Promise<Session> => {
    if (session !== null) return session;
    const beginning = begin();
    session = beginning;
    beginning.catch(() => {
      if (session === beginning) session = null;
    });
    return beginning;
  };

  const onMessage = (current: Session, message: ChildMessage, payload: Buffer): void => {
    if (message.type === 'hello') current.isReady = true;
    if (message.type === 'checked') {
      const request = current.waiting.get(message.id);
      current.waiting.delete(message.id);
      request?.resolve(
        message.ok ? { type: 'accepted', text: payload.toString('utf8') } : { type: 'refused', payload: Buffer.from(payload) },
      );
    }
    if (current.schemas.size > SCHEMAS_MOST && current.waiting.size === 0) current.process.kill('unwanted');
    else watch(current);
  };

  const onEnd = (current: Session, end: ProcessEnd): void => {
    if (timer !== null) clearTimeout(timer);
    current.isOver = true;
    session = null;
    if (!current.isReady) {
      const why = end.detail ?? 'it ended before it was ready';
      const isShort = isExhausted({ code: 'spawn_failed', message: why, output: current.process.tail() });
      for (const request of current.waiting.values())
        if (isShort) sendLater(request, why);
        else void send(request);
      return current.waiting.clear();
    }
    const waiting = [...current.waiting.values()];
    current.waiting.clear();
    // Another program killed it otherwise.
    const isCostly = end.reason !== 'exit' || end.signal !== 'SIGKILL';
    if (isCostly)
      waiting.shift()?.resolve({
        type: 'lost',
        message: 'validation took too long or too much memory; a schema or a pattern in it may be too expensive',
        isUnchecked: false,
      });
    for (const request of waiting) void send(request);
  };

  const sendLater = (request: Request, why: string): void => {
    request.waits += 1;
    if (isClosed || request.what === 'schema' || request.waits > WAITS)
      return request.resolve({ type: 'lost', message: `${NOT_STARTED}: ${why}`, isUnchecked: true });
    request.tries = 0;
    setTimeout(() => void send(request), WAIT_MS).unref();
  };

  const send = async (request: Request): Promise<void> => {
    request.tries += 1;
    if (isClosed || request.tries > TRIES)
      return request.resolve({ type: 'lost', message: 'the validator process failed repeatedly', isUnchecked: true });
    let current: Session;
    try {
      current = await ensure();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (isExhausted({ code: 'spawn_failed', message: why })) return sendLater(request, why);
      return request.resolve({ type: 'lost', message: `${NOT_STARTED}: ${why}`, isUnchecked: true });
    }
    if (current.isOver) return send(request);
    let schema = current.schemas.get(request.schema);
    if (schema === undefined) {
      schema = current.schemas.size;
      current.schemas.set(request.schema, schema);
      current.process.send({ type: 'schema', id: schema }, request.schema);
    }
    lastId += 1;
    current.waiting.set(lastId, request);
    current.process.send({ type: 'check', id: lastId, schema, what: request.what }, request.text);
    if (current.waiting.size === 1) watch(current);
  };

  const ask = (schema: string, what: Request['what'], text: string): Promise<Answer> =>
    new Promise((resolve) => void send({ schema, what, text, resolve, tries: 0, waits: 0 }));

  return {
    prepare() {
      if (!isClosed) void ensure().catch(() => undefined); // the first check fails with the same error and reports it
    },
    async inspect(schema) {
      const answer = await ask(schema, 'schema', '');
      if (answer.type === 'accepted') return null;
      if (answer.type === 'lost') return { path: '', message: `could not be checked: ${answer.message}`, isUnchecked: answer.isUnchecked };
      return parseSchemaFault(answer.payload) ?? { path: '', message: 'could not be checked' };
    },
    async check(schema, what, text) {
      const answer = await ask(schema, what, text);
      if (answer.type === 'accepted') return { ok: true, text: answer.text };
      const error = answer.type === 'refused' ? parseCallError(answer.payload) : null;
      if (error !== null) return { ok: false, error };
      const why = answer.type === 'lost' ? answer.message : 'the answer could not be read';
      const subject = what === 'arguments' ? 'The arguments' : 'The values of the result';
      return { ok: false, error: { kind: 'extension_unavailable', message: `${subject} could not be checked: ${why}. Try again.` } };
    },
    async close() {
      isClosed = true;
      const current = await session?.catch(() => null);
      current?.process.kill('unwanted');
      await Promise.all([current?.process.ended, codeCache.close()]);
    },
  };
}

const NOT_STARTED = 'the validator process could not be started';

function limitOf(session: Session): number {
  return session.isReady ? ANSWER_MS : START_MS;
}
