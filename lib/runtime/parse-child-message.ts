import { callErrorSchema, callIssueSchema, LOG_LEVELS, type LogLevel } from '#lib/contract/call.ts';
import { clientAskSchema } from '#lib/contract/client-asks.ts';
import { tokenAskSchema } from '#lib/contract/servers.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { extensionStatusSchema } from '#lib/contract/extension.ts';
import { serverErrorSchema, type ServerLog, serverLogSchema, serverNoticeSchema } from '#lib/contract/server-features.ts';
import * as z from 'zod';
import { isRecord } from './frames.ts';
import { type ChildMessage, DESCRIPTION_BYTES, type FailureReport, LOADED_MOST, PROTOCOL_VERSION } from './messages.ts';
import type { LoadedFile, RawDescription } from './runtime.ts';

/**
 * Parses messages from untrusted processes. Headers arrive with every call and are checked without a schema; payloads are bounded in
 * size and depth before they are parsed, because deep values break recursive code.
 */
type Header = Readonly<Record<string, unknown>>;

/** Null: not a message of this protocol; do not trust the process further. */
export function parseChildMessage(header: Header): ChildMessage | null {
  const { type, id } = header;
  switch (type) {
    case 'hello':
      return header['protocolVersion'] === PROTOCOL_VERSION ? { type } : null;
    case 'refused':
    case 'raw':
    case 'ready':
    case 'loaded':
    case 'failed':
    case 'notice':
    case 'stray':
    case 'exiting':
      return { type };
    case 'result':
    case 'error':
    case 'issues':
    case 'status':
    case 'token':
    case 'pong':
    case 'trace':
      return isId(id) ? { type, id } : null;
    case 'channel': {
      const { how } = header;
      return isId(id) && (how === 'done' || how === 'threw' || how === 'invalid') ? { type: 'channel', id, how } : null;
    }
    case 'answer':
    case 'checked': {
      const { ok } = header;
      return isId(id) && typeof ok === 'boolean' ? { type, id, ok } : null;
    }
    case 'ask': {
      const { call } = header;
      return isId(id) && isId(call) ? { type: 'ask', id, call } : null;
    }
    case 'idle': {
      const { activity } = header;
      return isId(id) && (activity === null || typeof activity === 'string')
        ? { type: 'idle', id, activity: activity === null ? null : activity.slice(0, 100) }
        : null;
    }
    case 'log': {
      const level = header['level'];
      return isId(id) && isLogLevel(level) ? { type: 'log', id, level } : null;
    }
    case 'progress':
      return isId(id) ? parseProgress(header, id) : null;
    default:
      return null;
  }
}

function parseProgress(header: Header, id: number): ChildMessage | null {
  const { done, total, message } = header;
  if (typeof done !== 'number' || !Number.isFinite(done)) return null;
  if (total !== null && (typeof total !== 'number' || !Number.isFinite(total))) return null;
  if (message !== null && typeof message !== 'string') return null;
  return { type: 'progress', id, done, total, message };
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && typeof value === 'number' && value >= 0;
}

const LEVELS: ReadonlySet<unknown> = new Set(LOG_LEVELS);
function isLogLevel(value: unknown): value is LogLevel {
  return LEVELS.has(value);
}

/** Deeper payloads are not parsed; children truncate attached data at a smaller depth. */
const OPENED_DEPTH = 128;
const BRACKET_OPEN = 0x5b;
const BRACE_OPEN = 0x7b;
const BRACKET_CLOSE = 0x5d;
const BRACE_CLOSE = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts depth on the bytes, so that no deep value is created. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === BRACKET_OPEN || byte === BRACE_OPEN) {
      depth += 1;
      if (depth > OPENED_DEPTH) return true;
    } else if (byte === BRACKET_CLOSE || byte === BRACE_CLOSE) depth -= 1;
  }
  return false;
}

const OPENED_BYTES = 1_048_576;

/** Undefined if it is too large, too deep, or not JSON. */
export function openPayload(payload: Buffer, maxBytes = OPENED_BYTES): unknown {
  if (payload.length > maxBytes || isTooDeep(payload)) return undefined;
  try {
    return parseExactJson(payload.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A parser for payloads of this shape; it returns null for others. */
const parserOf =
  <Shape extends z.ZodType>(schema: Shape, maxBytes?: number) =>
  (payload: Buffer): z.output<Shape> | null =>
    schema.safeParse(openPayload(payload, maxBytes)).data ?? null;

export const parseCallError = parserOf(callErrorSchema);
export const parseClientAsk = parserOf(clientAskSchema);
export const parseServerNotice = parserOf(serverNoticeSchema);
export const parseTokenAsk = parserOf(tokenAskSchema);
export const parseServerError = parserOf(serverErrorSchema);
export const parseIssues = parserOf(z.array(callIssueSchema));
export const parseStatus = parserOf(extensionStatusSchema);
/** The error in a schema, and its location. */
export const parseSchemaFault = parserOf(z.object({ path: z.string(), message: z.string() }));

export interface LogPayload {
  readonly message: string;
  readonly data?: unknown;
  readonly said?: ServerLog;
  readonly isGap?: true;
}

export function parseLogPayload(payload: Buffer): LogPayload | null {
  const value = openPayload(payload);
  if (!isRecord(value) || typeof value['message'] !== 'string') return null;
  const said = value['said'] === undefined ? undefined : serverLogSchema.safeParse(value['said']).data;
  return {
    message: value['message'],
    ...(value['data'] === undefined ? {} : { data: value['data'] }),
    ...(said === undefined ? {} : { said }),
    ...(value['gap'] === true ? { isGap: true } : {}),
  };
}

export const parseRawDescription: (payload: Buffer) => RawDescription | null = parserOf(
  z.object({
    exports: z.array(z.string().max(1_000)).max(200),
    values: z.record(z.string(), z.unknown()),
    hasStatus: z.boolean(),
    hasState: z.boolean().exactOptional(),
    hints: z.unknown().exactOptional(),
    sendParameters: z.number().int().nonnegative().exactOptional(),
    toolWarnings: z
      .array(z.array(z.string().max(1_000)).max(20))
      .max(10_000)
      .exactOptional(),
    places: z.record(z.string(), z.tuple([z.number().int().positive(), z.number().int().positive()])).exactOptional(),
  }),
  DESCRIPTION_BYTES,
);

export const parseFailureReport: (payload: Buffer) => FailureReport | null = parserOf(
  z.object({
    code: z.enum([
      'unreadable',
      'syntax_error',
      'import_unresolved',
      'import_error',
      'process_exited',
      'parameters_invalid',
      'tool_invalid',
      'type_unsupported',
      'config_missing',
      'runtime_missing',
      'field_invalid',
      'server_sign_in_needed',
      'mcp_error',
    ]),
    message: z.string(),
    hint: z.string().exactOptional(),
    file: z.string().exactOptional(),
    line: z.number().int().positive().exactOptional(),
    column: z.number().int().positive().exactOptional(),
    stack: z.string().exactOptional(),
    subject: z.array(z.union([z.string(), z.number()])).exactOptional(),
  }),
);

const factSchema = z.string().regex(/^\d{1,24}$/);
export const parseLoadedFiles: (payload: Buffer) => readonly LoadedFile[] | null = parserOf(
  z
    .array(
      z.object({
        path: z.string().min(1).max(4_096),
        size: z.number().int().nonnegative(),
        mtimeNs: factSchema,
        ctimeNs: factSchema,
        ino: factSchema,
      }),
    )
    .max(LOADED_MOST),
);
