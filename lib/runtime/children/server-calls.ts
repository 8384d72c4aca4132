import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { LIMITS } from '#lib/contract/limits.ts';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import { invalidArguments, readArguments } from './check-values.ts';
import { explainServerError, isConnectionLost } from './server-errors.ts';
import { isRecord } from '../frames.ts';
import { cutMessage } from './thrown.ts';
import { toJsonText, toNotedJsonText } from './to-json.ts';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { CallError, CallIssue } from '#lib/contract/call.ts';
import type { HostLink } from './host-link.ts';
import type { Validate } from './validators.ts';
import type { ServerConnection } from './server-connection.ts';

/** A tool as the server calls it; `validate` lets everything through when its schema cannot be compiled: then the server alone checks. */
export interface ServerTool {
  readonly remoteName: string;
  readonly validate: Validate;
}

/** Passes calls on to the server. A result is recorded as the server gave it, whatever kinds of content it holds. */
export interface ServerCalls {
  /** `traceparent`: handed on, so that what the server does can be part of the trace. */
  run(id: number, tool: ServerTool, argsText: string, traceparent?: string): Promise<void>;
  validate(tool: ServerTool, argsText: string): readonly CallIssue[];
  abort(id: number): void;
  /** The only call that runs; 0 when there is none or more than one. */
  onlyCall(): number;
}

export interface ServerCallsOptions {
  readonly link: HostLink;
  readonly connection: ServerConnection;
  readonly url: string | null;
  readonly maxResultBytes: number;
  /** The connection is of no use any more. */
  onLost(how: string): void;
}

export function createServerCalls({ link, connection, url, maxResultBytes, onLost }: ServerCallsOptions): ServerCalls {
  const calls = new ShortLivedMap<number, AbortController>();

  const fail = (id: number, error: CallError): void => {
    if (calls.delete(id)) link.send({ type: 'error', id }, JSON.stringify(error));
  };

  const succeed = (id: number, result: CallToolResult): void => {
    if (result.isError === true) return fail(id, failureOf(result));
    const json = toJsonText(result, maxResultBytes);
    if (!json.ok) return fail(id, { kind: json.kind, message: json.message });
    if (calls.delete(id)) link.send({ type: 'result', id }, json.text);
  };

  return {
    async run(id, tool, argsText, traceparent) {
      const controller = new AbortController();
      calls.set(id, controller);
      const { args, issues } = readArguments(tool.validate, argsText);
      if (issues.length > 0) return fail(id, invalidArguments(issues));
      try {
        const result = await connection.use(
          (client) =>
            client.callTool(
              {
                name: tool.remoteName,
                arguments: isRecord(args) ? args : {},
                ...(traceparent === undefined ? {} : { _meta: { traceparent } }),
              },
              {
                signal: controller.signal,
                // The host keeps the time of a call, and aborts it.
                timeout: LIMITS.callTimeoutMostMs,
                onprogress: ({ progress, total, message }) =>
                  link.send({ type: 'progress', id, done: progress, total: total ?? null, message: message?.slice(0, 1_000) ?? null }),
              },
            ),
          controller.signal,
        );
        succeed(id, result);
      } catch (error) {
        // This process ends with the connection, and the host then answers for it.
        if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) return;
        const lost = isConnectionLost(error);
        fail(id, lost ? { kind: 'extension_crashed', message: `${explainServerError(error, url)} Try again.` } : errorOf(error, url));
        if (lost) onLost(explainServerError(error, url));
      }
    },
    validate: (tool, argsText) => readArguments(tool.validate, argsText).issues,
    abort(id) {
      const controller = calls.get(id);
      calls.delete(id);
      controller?.abort(new DOMException('This call is not waited for any more', 'AbortError'));
    },
    onlyCall: () => (calls.size === 1 ? (calls.keys().next().value ?? 0) : 0),
  };
}

const DATA_BYTES = 65_536;

/** What the server calls an error is one here, with its text as the message and all of it as data. */
function failureOf(result: CallToolResult): CallError {
  const texts = result.content.flatMap((item) => (item.type === 'text' ? [item.text] : []));
  const message = cutMessage(texts.join('\n').trim() || 'The server said that the call failed, and not why.');
  const kept = toNotedJsonText(result, DATA_BYTES);
  return { kind: 'execution_error', message, ...(kept.ok ? { data: JSON.parse(kept.text) as unknown } : {}) };
}

/** What the client of the protocol itself finds wrong with a result looks like an answer of the server, and is known by its words alone. */
const BROKEN_PROMISES = [
  /^Structured content does not match the tool's output schema: (.*)$/s,
  /^(Failed to validate structured content: .*)$/s,
  /^(Tool .* has an output schema but did not return structured content)$/s,
  /^(Tool '.*' has an invalid outputSchema: .*)$/s,
];

function brokenPromise(message: string): CallError | null {
  const [what] = BROKEN_PROMISES.flatMap((words) => words.exec(message)?.[1] ?? []);
  if (what === undefined) return null;
  return {
    kind: 'schema_error',
    message: cutMessage(
      `The tool's result does not fit its own output_schema: ${what.replaceAll(/(^|, )data(?=[/ ])/g, '$1structuredContent')}.`,
    ),
  };
}

function errorOf(error: unknown, url: string | null): CallError {
  if (!(error instanceof ProtocolError)) return { kind: 'execution_error', message: explainServerError(error, url) };
  const broken = brokenPromise(error.message);
  if (broken !== null) return broken;
  const kind = error.code === ProtocolErrorCode.InvalidParams ? 'invalid_parameters' : 'execution_error';
  const kept = error.data === undefined ? null : toNotedJsonText(error.data, DATA_BYTES);
  return { kind, message: cutMessage(error.message), ...(kept?.ok === true ? { data: JSON.parse(kept.text) as unknown } : {}) };
}
