import {
  classifyInboundRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import type { JSONRPCNotification, JSONRPCRequest, JSONRPCResponse } from '@modelcontextprotocol/server';
import type { McpHeaders } from '#lib/contract/mcp-exchange.ts';
import { decodeHeaderValue, mismatch } from './header-parameters.ts';
import type { Params, Refusal, RequestId } from './json-rpc.ts';
import { HEADERS, isLegacyVersion, META, MODERN_VERSION } from './protocol.ts';

/**
 * Kind and protocol generation of a message. The SDK can classify it, but that costs as much as serving a call. So ordinary
 * requests are classified by the few fields that distinguish the generations: the SDK validates the request when it serves it,
 * and a message that it rejects is classified again for the reason.
 */
export type Inbound =
  /** `revision` is null for the 2025 protocols. */
  | { readonly kind: 'request'; readonly message: JSONRPCRequest; readonly revision: typeof MODERN_VERSION | null }
  | { readonly kind: 'notification'; readonly message: JSONRPCNotification; readonly isModern: boolean }
  /** To a request of a server behind this one; null for an array of messages. */
  | { readonly kind: 'response'; readonly message: JSONRPCResponse | null }
  | Refused;

export interface Refused {
  readonly kind: 'refused';
  readonly id: RequestId | null;
  readonly refusal: Refusal;
}

/** Value of the params that proxies find in the header `mcp-name`. */
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

/** Methods of both generations, and those whose envelope is not validated later. */
const ALWAYS_CLASSIFIED = new Set(['initialize', 'server/discover', 'subscriptions/listen']);

/** Why a body is invalid: rejected by the SDK, or not classified quickly. */
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
    if (isJSONRPCNotification(body)) return { kind: 'notification', message: body, isModern: false };
    return { kind: 'response', message: isJSONRPCResponse(body) ? body : null };
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

/** Required headers; the SDK only checks those that are present, and not the one with the name. */
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

/** The id for a response. */
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
