import type { ExtensionStatus } from '#lib/contract/extension.ts';
import { bigintsIn, NOT_EXACT, withExactIntegers } from '#lib/contract/big-integers.ts';
import { invalidSchema } from '../messages.ts';
import type { FailureReport, HostMessage, LoadMessage, ToolSchemas } from '../messages.ts';
import { createCallRunner } from './run-call.ts';
import type { CallRunner, RunnableTool } from './run-call.ts';
import { readStack } from './stack-frames.ts';
import { withInnerErrors, messageOf } from './inner-errors.ts';
import { truncateMessage, toCallError } from './thrown.ts';
import { type ModuleExports, toolEntries, type ToolEntry } from './load-module.ts';
import { toNotedJsonText, toJsonText } from './to-json.ts';
import type { LogWriter } from './console-capture.ts';
import type { HostLink } from './host-link.ts';
import type { SchemaCompiler } from './validators.ts';

/** An imported extension that answers calls. Schemas are compiled at once, or at the first call of a tool. */
export interface ExtensionProgram {
  readonly calls: CallRunner;
  setTools(text: string, isEager: boolean): FailureReport | null;
  handle(message: HostMessage, payload: Buffer): void;
  /** Called for every uncaught error; an exception ends the call that it was thrown in. */
  onStray(error: unknown, origin: 'exception' | 'rejection'): void;
}

export interface ExtensionProgramOptions {
  readonly load: LoadMessage;
  readonly exports: ModuleExports;
  readonly link: HostLink;
  readonly writer: LogWriter;
  readonly compiler: SchemaCompiler;
  readonly childProgram: string;
  /** Remaining activity without a call; null for none. */
  activity(): string | null;
}

type Prepared = { readonly ok: true; readonly tool: RunnableTool } | { readonly ok: false; readonly failure: FailureReport };

const STATUS_BYTES = 65_536;
const STRAYS_REPORTED = 20;

export function createExtensionProgram(options: ExtensionProgramOptions): ExtensionProgram {
  const { load, exports, link, writer, compiler } = options;
  const { extension, workspaceRoot, ownFolders, maxResultBytes } = load;
  const calls = createCallRunner({
    link,
    writer,
    extension,
    workspaceRoot,
    ownFolders,
    maxResultBytes,
    childProgram: options.childProgram,
  });
  const channel = createChannelProgram({ extension, exports, ownFolders, childProgram: options.childProgram, link, writer });
  const entries = toolEntries(exports);
  let schemas: readonly ToolSchemas[] = [];
  const prepared: Prepared[] = [];
  let strays = 0;

  const prepare = (at: number): Prepared => {
    const known = prepared[at];
    if (known !== undefined) return known;
    const wanted = schemas[at];
    const entry = wanted === undefined ? null : findEntry(entries, at, wanted.name);
    const outcome =
      wanted === undefined || entry === null ? gone(wanted?.name) : compileTool(compiler, subjectOf(exports, at), entry, wanted);
    prepared[at] = outcome;
    return outcome;
  };

  const withTool = (id: number, at: number, use: (tool: RunnableTool) => void): void => {
    const outcome = prepare(at);
    if (outcome.ok) use(outcome.tool);
    else link.send({ type: 'error', id }, JSON.stringify({ kind: 'extension_unavailable', message: outcome.failure.message }));
  };

  const onStray = (error: unknown, origin: 'exception' | 'rejection'): void => {
    const id = calls.currentCall();
    const ended = origin === 'exception' && id !== 0 && calls.failCall(id, error);
    strays += 1;
    if (strays > STRAYS_REPORTED) return;
    const what = origin === 'exception' ? 'Uncaught exception' : 'Unhandled promise rejection';
    const { text } = readStack(error, ownFolders, options.childProgram);
    link.send(
      { type: 'stray' },
      truncateMessage(
        `${what}${ended ? ' (its call was ended)' : ''}: ${withInnerErrors(messageOf(error), error)}${text === null ? '' : `\n${text}`}`,
      ),
    );
  };

  return {
    calls,
    onStray,
    setTools(text, isEager) {
      schemas = JSON.parse(text) as readonly ToolSchemas[];
      if (!isEager) return null;
      for (const at of schemas.keys()) {
        const outcome = prepare(at);
        if (!outcome.ok) return outcome.failure;
      }
      return null;
    },
    handle(message, payload) {
      switch (message.type) {
        case 'call':
          withTool(message.id, message.tool, (tool) => void calls.run(message.id, message, tool, payload.toString('utf8')));
          return;
        case 'validate': {
          const text = payload.toString('utf8');
          withTool(message.id, message.tool, (tool) =>
            link.send({ type: 'issues', id: message.id }, JSON.stringify(calls.validate(tool, text))),
          );
          return;
        }
        case 'status':
          void askStatus(exports).then((status) => link.send({ type: 'status', id: message.id }, JSON.stringify(status)));
          return;
        case 'idle':
          link.send({ type: 'idle', id: message.id, activity: options.activity() });
          return;
        case 'channel':
          void channel.handle(message, payload);
          return;
        case 'reply':
          calls.onReply(message.id, payload);
          return;
        case 'abort':
          calls.abort(message.id, message.reason);
          return;
        case 'ping':
          link.send({ type: 'pong', id: message.id });
          return;
        case 'cut':
        case 'load':
        case 'tools':
        case 'schema':
        case 'check':
        case 'request':
        case 'token':
      }
    },
  };
}

function subjectOf(exports: ModuleExports, at: number): readonly (string | number)[] {
  return exports['TOOLS'] === undefined ? ['TOOL'] : ['TOOLS', at];
}

/** By index; by name if the extension lists its tools in another order than when it was described. */
function findEntry(entries: readonly (ToolEntry | null)[], at: number, name: string): ToolEntry | null {
  const there = entries[at] ?? null;
  return there?.name === name ? there : (entries.find((entry) => entry?.name === name) ?? null);
}

function gone(name: string | undefined): Extract<Prepared, { ok: false }> {
  return {
    ok: false,
    failure: {
      code: 'tool_invalid',
      message: `The module no longer exports the tool ${name ?? ''}. Press Reload.`,
    },
  };
}

function compileTool(compiler: SchemaCompiler, subject: readonly (string | number)[], entry: ToolEntry, schemas: ToolSchemas): Prepared {
  const parameters = compiler.compile(schemas.parameters);
  if (!parameters.ok) return invalid(schemas.name, subject, 'parameters', parameters);
  if (schemas.outputSchema === null)
    return { ok: true, tool: { name: schemas.name, tool: entry.tool, parameters: parameters.validate, output: null } };
  const output = compiler.compile(schemas.outputSchema);
  if (!output.ok) return invalid(schemas.name, subject, 'output_schema', output);
  return { ok: true, tool: { name: schemas.name, tool: entry.tool, parameters: parameters.validate, output: output.validate } };
}

function invalid(
  tool: string,
  subject: readonly (string | number)[],
  field: string,
  wrong: { readonly path: string; readonly message: string },
): Prepared {
  return { ok: false, failure: invalidSchema(tool, subject, field, wrong) };
}

async function askStatus(exports: ModuleExports): Promise<ExtensionStatus> {
  const began = performance.now();
  const end = (value: Record<string, unknown> | null, error: string | null): ExtensionStatus => ({
    value,
    error,
    duration_ms: Math.round((performance.now() - began) * 100) / 100,
  });
  try {
    const ask = exports['status'];
    if (typeof ask !== 'function') return end(null, 'This extension has no `status` function');
    const json = toNotedJsonText(await Reflect.apply(ask, undefined, []), STATUS_BYTES);
    if (!json.ok) return end(null, json.message);
    const value: unknown = JSON.parse(json.text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return end(null, '`status()` must return an object, such as { connected: true }');
    return end({ ...value }, null);
  } catch (error) {
    return end(null, truncateMessage(withInnerErrors(messageOf(error), error)));
  }
}

/** The three functions of a channel, called on request of the host. */
interface ChannelProgram {
  handle(message: Extract<HostMessage, { type: 'channel' }>, payload: Buffer): Promise<void>;
}

interface ChannelProgramOptions {
  readonly extension: string;
  readonly exports: ModuleExports;
  readonly ownFolders: readonly string[];
  readonly childProgram: string;
  readonly link: HostLink;
  readonly writer: LogWriter;
}

/** Far above the limit of a message. */
const MESSAGE_BYTES = 786_432;
const TOO_LARGE =
  '`recv` returned a message of more than 786,432 bytes as JSON. Write large data to a file, and put its name into `metadata`.';

const GENERATOR =
  '`recv` is a generator function. Make it a function that waits for the next message and returns it; it is called again for each message.';

function isGenerator(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'next' in value && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

function createChannelProgram({ extension, exports, ownFolders, childProgram, link, writer }: ChannelProgramOptions): ChannelProgram {
  return {
    async handle({ id, step }, payload) {
      const answer = (how: 'done' | 'threw' | 'invalid', text = ''): void => link.send({ type: 'channel', id, how }, text);
      const argsText = payload.toString('utf8');
      const args = JSON.parse(argsText) as readonly unknown[];
      const exact = withExactIntegers(argsText, args);
      const [rounded] = exact === args ? [] : bigintsIn(exact);
      // JavaScript would round it silently.
      if (rounded !== undefined) return answer('invalid', `${rounded.path.slice(1).join('/')}: ${NOT_EXACT}`);
      try {
        const value: unknown = await call(exports, step, args);
        if (step !== 'recv') return answer('done');
        if (isGenerator(value)) return answer('invalid', GENERATOR);
        const json = toJsonText(value, MESSAGE_BYTES);
        if (json.ok) return answer('done', json.text);
        answer('invalid', json.kind === 'result_too_large' ? TOO_LARGE : json.message.replace(/^The result/, 'What `recv` returned'));
      } catch (thrown) {
        const { text } = readStack(thrown, ownFolders, childProgram);
        if (text !== null) writer.trace(0, `\`${step}\` threw ${text}`);
        answer('threw', toCallError(thrown, extension).message);
      }
    },
  };
}

async function call(exports: ModuleExports, step: string, args: readonly unknown[]): Promise<unknown> {
  const run = exports[step];
  if (typeof run !== 'function') throw new Error(`\`${step}\` is no longer a function; something in the file replaced it`);
  return Reflect.apply(run, undefined, args);
}
