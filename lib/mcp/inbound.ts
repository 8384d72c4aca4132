import {
  classifyInboundRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import type { JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/server';
import type { McpHeaders } from '#lib/contract/mcp-exchange.ts';
import { decodeHeaderValue } from './header-values.ts';
import type { Params, Refusal, RequestId } from './json-rpc.ts';
import { mismatch } from './mismatch.ts';
import { HEADERS, isLegacyVersion, META, MODERN_VERSION } from './protocol.ts';

/**
 * What one message is, and of which generation. The official package says so; what can go wrong is that it is asked for each
 * call, as its look at everything that a message could be costs as much as serving it. So an ordinary request is seen at a
 * glance, by what tells the generations apart and no more: the core that serves it checks the whole of it, and what the core
 * does not take comes back to be told why.
 */
export type Inbound =
  /** `revision` is null for the 2025 protocols. */
  | { readonly kind: 'request'; readonly message: JSONRPCRequest; readonly revision: typeof MODERN_VERSION | null }
  | { readonly kind: 'notification'; readonly message: JSONRPCNotification; readonly isModern: boolean }
  /** An answer to something that this server never asks. */
  | { readonly kind: 'response' }
  | Refused;

export interface Refused {
  readonly kind: 'refused';
  readonly id: RequestId | null;
  readonly refusal: Refusal;
}

/** What of the params a proxy finds in the header `mcp-name`. */
const NAMED_BY: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

export function readInbound(body: unknown, headers: McpHeaders): Inbound {
  if (!isJSONRPCRequest(body) || ALWAYS_CLASSIFIED.has(body.method)) return classify(body, headers);
  const claim = claimOf(body.params);
  const version = headers.header(HEADERS.protocolVersion);
  if (claim === undefined)
    return version === undefined || isLegacyVersion(version) ? { kind: 'request', message: body, revision: null } : classify(body, headers);
  return claim === MODERN_VERSION && version === claim && headers.header(HEADERS.method) === body.method
    ? modernRequest(body, headers)
    : classify(body, headers);
}

/** Those that can belong to either generation, and those whose envelope is not checked again. */
const ALWAYS_CLASSIFIED = new Set(['initialize', 'server/discover', 'subscriptions/listen']);

/** Why a body is no message: what the core did not take, and anything that is not seen at a glance. */
export function classify(body: unknown, headers: McpHeaders): Inbound {
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...headerOf(headers, HEADERS.protocolVersion, 'protocolVersionHeader'),
    ...headerOf(headers, HEADERS.method, 'mcpMethodHeader'),
    ...headerOf(headers, HEADERS.name, 'mcpNameHeader'),
  });
  if (outcome.kind === 'reject') {
    const { httpStatus: status, code, message, data } = outcome;
    return { kind: 'refused', id: readId(body), refusal: { status, code, message, data } };
  }
  if (outcome.kind === 'legacy') {
    if (isJSONRPCRequest(body)) return { kind: 'request', message: body, revision: null };
    return isJSONRPCNotification(body) ? { kind: 'notification', message: body, isModern: false } : { kind: 'response' };
  }
  if (outcome.messageKind === 'notification') return { kind: 'notification', message: outcome.message, isModern: true };
  const { message } = outcome;
  const { revision = 'unknown' } = outcome.classification;
  if (revision !== MODERN_VERSION) {
    const { code, message: reason, data } = new UnsupportedProtocolVersionError({ supported: [MODERN_VERSION], requested: revision });
    return { kind: 'refused', id: message.id, refusal: { status: 400, code, message: reason, data } };
  }
  return modernRequest(message, headers);
}

/** The headers that must be there; the package looks only at those that are, and not at the one with the name. */
function modernRequest(message: JSONRPCRequest, headers: McpHeaders): Inbound {
  const { id, method, params } = message;
  const missing =
    headers.header(HEADERS.protocolVersion) === undefined
      ? mismatch(HEADERS.protocolVersion, null, MODERN_VERSION)
      : headers.header(HEADERS.method) === undefined
        ? mismatch(HEADERS.method, null, method)
        : checkName(method, params, headers);
  return missing === null ? { kind: 'request', message, revision: MODERN_VERSION } : { kind: 'refused', id, refusal: missing };
}

function checkName(method: string, params: Params | undefined, headers: McpHeaders): Refusal | null {
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const expected = field === undefined ? undefined : params?.[field];
  if (typeof expected !== 'string') return null;
  const given = headers.header(HEADERS.name);
  if (given === undefined) return mismatch(HEADERS.name, null, expected);
  return decodeHeaderValue(given) === expected ? null : mismatch(HEADERS.name, given, expected);
}

function claimOf(params: Params | undefined): unknown {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta[META.protocolVersion] : undefined;
}

/** The id that an answer can name. */
function readId(body: unknown): RequestId | null {
  const id = isObject(body) ? body['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function headerOf<Key extends string>(headers: McpHeaders, name: string, key: Key): { readonly [key in Key]?: string } {
  const value = headers.header(name);
  const given: { [key in Key]?: string } = {};
  if (value !== undefined) given[key] = value;
  return given;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
