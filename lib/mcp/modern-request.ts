import { z } from 'zod';
import type { McpHeaders } from '#lib/contract/mcp-exchange.ts';
import { clientInfoSchema, clientName } from './client-names.ts';
import { decodeHeaderValue } from './header-values.ts';
import type { Params, RpcFailure, RpcRequest } from './json-rpc.ts';
import { HEADERS, isModernVersion, LOG_LEVELS, META, MODERN_VERSION, RPC } from './protocol.ts';
import type { McpLogLevel } from './protocol.ts';

/**
 * The stateless protocol says with each request who asks and how, in its body (`_meta`), and repeats in headers what a
 * proxy would route by. Both must agree: otherwise what was let through by its headers could be another thing inside.
 */
export interface ModernCaller {
  readonly clientName: string | null;
  /** Null: nothing is said of the log. */
  readonly logLevel: McpLogLevel | null;
}

export type ModernCheck =
  | { readonly ok: true; readonly caller: ModernCaller }
  | {
      readonly ok: false;
      readonly failure: RpcFailure;
    };

const envelopeSchema = z.looseObject({
  [META.protocolVersion]: z.string(),
  [META.clientCapabilities]: z.looseObject({}),
  [META.clientInfo]: clientInfoSchema.optional(),
  [META.logLevel]: z.enum(LOG_LEVELS).optional(),
});
/** What of the params a proxy finds in the header `mcp-name`. */
const NAMED_BY: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

/** Whether a message belongs to the stateless protocol: by its body, and without a word there, by its header. */
export function isModern(method: string, params: Params, headers: McpHeaders): boolean {
  const meta = params['_meta'];
  const claim: unknown = typeof meta === 'object' && meta !== null ? Reflect.get(meta, META.protocolVersion) : undefined;
  if (method === 'initialize') return typeof claim === 'string' && isModernVersion(claim) && envelopeSchema.safeParse(meta).success;
  if (claim !== undefined) return true;
  const header = headers.header(HEADERS.protocolVersion);
  return header !== undefined && isModernVersion(header.trim());
}

export function checkModernRequest({ method, params }: RpcRequest, headers: McpHeaders): ModernCheck {
  const envelope = envelopeSchema.safeParse(params['_meta']);
  if (!envelope.success) return refuse(RPC.invalidParams, envelopeFault(envelope.error, params['_meta'] !== undefined));
  const claimed = envelope.data[META.protocolVersion];
  const version = headers.header(HEADERS.protocolVersion)?.trim();
  if (version !== undefined && version !== claimed) return mismatch(HEADERS.protocolVersion, version, claimed);
  const named = headers.header(HEADERS.method)?.trim();
  if (named !== undefined && named !== method) return mismatch(HEADERS.method, named, method);
  if (claimed !== MODERN_VERSION)
    return refuse(RPC.unsupportedVersion, `Protocol version ${claimed.slice(0, 40)} is not served here; ${MODERN_VERSION} is.`, {
      supported: [MODERN_VERSION],
      requested: claimed,
    });
  if (version === undefined) return mismatch(HEADERS.protocolVersion, null, claimed);
  if (named === undefined) return mismatch(HEADERS.method, null, method);
  const wrongName = checkName(method, params, headers);
  if (wrongName !== null) return wrongName;
  const client = envelope.data[META.clientInfo];
  return {
    ok: true,
    caller: {
      clientName: client === undefined ? null : clientName(client.name),
      logLevel: envelope.data[META.logLevel] ?? null,
    },
  };
}

function checkName(method: string, params: Params, headers: McpHeaders): ModernCheck | null {
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const expected = field === undefined ? undefined : params[field];
  if (field === undefined || typeof expected !== 'string') return null;
  const given = headers.header(HEADERS.name);
  if (given === undefined) return mismatch(HEADERS.name, null, expected);
  return decodeHeaderValue(given) === expected ? null : mismatch(HEADERS.name, given, expected);
}

function envelopeFault(error: z.ZodError, hasMeta: boolean): string {
  const key = error.issues[0]?.path.join('.') ?? '';
  const fault = hasMeta && key !== '' ? `params._meta["${key}"] is missing or does not fit` : 'params._meta is missing';
  return `${fault}. With protocol version ${MODERN_VERSION} each request says in params._meta its "${META.protocolVersion}" and "${META.clientCapabilities}".`;
}

export function mismatch(header: string, given: string | null, expected: string): ModernCheck & { readonly ok: false } {
  const value = given === null ? 'is missing' : `says "${given.slice(0, 100)}"`;
  return refuse(RPC.headerMismatch, `The header ${header} ${value}, the body says "${expected.slice(0, 100)}". They must agree.`, {
    mismatch: { header, given, expected },
  });
}

function refuse(code: number, message: string, data?: unknown): ModernCheck & { readonly ok: false } {
  return { ok: false, failure: { status: 400, code, message, ...(data === undefined ? {} : { data }) } };
}
