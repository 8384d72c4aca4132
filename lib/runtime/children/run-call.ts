import { AsyncLocalStorage } from 'node:async_hooks';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import { type CallerAsks, createCallerAsks } from './caller-asks.ts';
import { invalidArguments, invalidResult, issuesOf, type ReadArguments, readArguments, roundedIssues } from './check-values.ts';
import { readStack } from './stack-frames.ts';
import { toCallError } from './thrown.ts';
import { toJsonText } from './to-json.ts';
import type { CallError, CallIssue, LogLevel } from '#lib/contract/call.ts';
import type { ToolContext, ElicitAnswer, SampleAnswer } from '#lib/contract/extension-api.ts';
import type { ClientAsk } from '#lib/contract/client-asks.ts';
import type { LogWriter } from './console-capture.ts';
import type { HostLink } from './host-link.ts';
import type { Validate } from './validators.ts';

/** A tool with its compiled schemas. */
export interface RunnableTool {
  readonly name: string;
  readonly tool: object;
  readonly parameters: Validate;
  readonly output: Validate | null;
}

/** The ids of a call for other systems. */
export interface CallNames {
  readonly callId: string;
  readonly traceparent?: string;
}

export interface CallRunner {
  run(id: number, call: CallNames, tool: RunnableTool, argsText: string): Promise<void>;
  validate(tool: RunnableTool, argsText: string): readonly CallIssue[];
  abort(id: number, reason: 'timeout' | 'cancelled'): void;
  /** The answer to a question of a tool. */
  onReply(id: number, payload: Buffer): void;
  /** The call in whose context this runs; 0 outside of any. */
  currentCall(): number;
  /** Ends a call after an uncaught exception in its callback; false if it has already ended. */
  failCall(id: number, error: unknown): boolean;
}

export interface CallRunnerOptions {
  readonly link: HostLink;
  readonly writer: LogWriter;
  readonly extension: string;
  readonly workspaceRoot: string;
  readonly ownFolders: readonly string[];
  readonly childProgram: string;
  readonly maxResultBytes: number;
}

export function createCallRunner(options: CallRunnerOptions): CallRunner {
  const { link, writer } = options;
  const calls = new ShortLivedMap<number, AbortController>();
  const callContext = new AsyncLocalStorage<number>();
  const asks = createCallerAsks(link);

  /** The first end of a call counts; later ones are dropped. */
  const end = (id: number): boolean => {
    const isFirst = calls.delete(id);
    if (isFirst) writer.end(id);
    return isFirst;
  };

  const fail = (id: number, error: CallError): void => {
    if (end(id)) link.send({ type: 'error', id }, JSON.stringify(error));
  };

  const failThrown = (id: number, thrown: unknown): void => {
    const { text } = readStack(thrown, options.ownFolders, options.childProgram);
    if (text !== null) writer.trace(id, text);
    fail(id, toCallError(thrown, options.extension));
  };

  const succeed = (id: number, tool: RunnableTool, value: unknown): void => {
    const json = toJsonText(value, options.maxResultBytes);
    if (!json.ok) {
      fail(id, { kind: json.kind, message: json.message });
      return;
    }
    for (const note of json.notes) writer.write(id, 'warn', `result: ${note}`);
    const issues = tool.output === null ? [] : issuesOf(tool.output, JSON.parse(json.text), json.text);
    if (issues.length > 0) {
      fail(id, invalidResult(issues, { result: JSON.parse(json.text) as unknown }));
      return;
    }
    if (end(id)) link.send({ type: 'result', id }, json.text);
  };

  return {
    async run(id, call, tool, argsText) {
      const controller = new AbortController();
      calls.set(id, controller);
      const { args, issues } = readHere(tool, argsText);
      if (issues.length > 0) {
        fail(id, invalidArguments(issues));
        return;
      }
      try {
        const value: unknown = await callContext.run(id, () =>
          execute(tool, args, createContext(id, call, controller.signal, asks, options)),
        );
        if (calls.has(id)) succeed(id, tool, value);
      } catch (thrown) {
        if (calls.has(id)) failThrown(id, thrown);
      }
    },
    validate: (tool, argsText) => readHere(tool, argsText).issues,
    abort(id, reason) {
      const controller = calls.get(id);
      end(id);
      controller?.abort(
        reason === 'timeout'
          ? new DOMException('This call timed out', 'TimeoutError')
          : new DOMException('This call was cancelled', 'AbortError'),
      );
    },
    onReply: asks.onReply,
    currentCall: () => callContext.getStore() ?? 0,
    failCall(id, error) {
      if (!calls.has(id)) return false;
      failThrown(id, error);
      return true;
    },
  };
}

/** JavaScript numbers are doubles: values that would be rounded are refused. */
function readHere(tool: RunnableTool, argsText: string): Pick<ReadArguments, 'args' | 'issues'> {
  const { args, issues, exact } = readArguments(tool.parameters, argsText);
  return { args, issues: exact.length === 0 ? issues : [...issues, ...roundedIssues(exact)] };
}

async function execute(tool: RunnableTool, args: unknown, context: ToolContext): Promise<unknown> {
  const run: unknown = Reflect.get(tool.tool, 'execute');
  if (typeof run !== 'function')
    throw new Error(`\`execute\` of ${tool.name} is no longer a function; something in the extension replaced it`);
  return Reflect.apply(run, tool.tool, [args, context]);
}

function createContext(
  id: number,
  { callId, traceparent }: CallNames,
  signal: AbortSignal,
  asks: CallerAsks,
  { link, writer, workspaceRoot }: CallRunnerOptions,
): ToolContext {
  const logAt = (level: LogLevel) => (message: unknown, data?: unknown) => writer.write(id, level, message, data);
  return {
    signal,
    log: { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
    progress(done, total, message) {
      if (!Number.isFinite(done)) throw new TypeError('progress(done, total?, message?): `done` must be a finite number');
      link.send({
        type: 'progress',
        id,
        done,
        total: typeof total === 'number' && Number.isFinite(total) ? total : null,
        message: message === undefined ? null : String(message).slice(0, 1_000),
      });
    },
    ...askingContext(asks, id),
    call_id: callId,
    workspace_root: workspaceRoot,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

const TOKENS = 1_000;

/** `elicit` and `sample` of a tool's context. Both reject with the reason if nobody can answer. */
function askingContext(asks: CallerAsks, call: number): Pick<ToolContext, 'elicit' | 'sample'> {
  const ask = async (question: ClientAsk): Promise<unknown> => {
    const reply = await asks.ask(call, question);
    if (reply.ok) return reply.result;
    throw new Error(reply.error.message);
  };
  return {
    async elicit(message, schema) {
      const params = { mode: 'form', message, requestedSchema: asForm(schema) };
      return (await ask({ method: 'elicitation/create', params })) as ElicitAnswer;
    },
    async sample(request) {
      const params = typeof request === 'string' ? { messages: [{ role: 'user', content: { type: 'text', text: request } }] } : request;
      return (await ask({ method: 'sampling/createMessage', params: { maxTokens: TOKENS, ...params } })) as SampleAnswer;
    },
  };
}

/** The fields alone are enough: `{ city: { type: 'string', required: true } }`. */
function asForm(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (schema['type'] === 'object') return schema;
  const fields = Object.entries(schema).map(([name, field]): [string, Record<string, unknown>] => [name, { ...(field as object) }]);
  const required = fields.filter(([, field]) => field['required'] === true).map(([name]) => name);
  for (const [, field] of fields) delete field['required'];
  return { type: 'object', properties: Object.fromEntries(fields), ...(required.length === 0 ? {} : { required }) };
}
