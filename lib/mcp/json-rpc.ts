import { z } from 'zod';
import type { McpText } from '#lib/contract/mcp-exchange.ts';
import { RPC } from './protocol.ts';

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
}

export type RpcMessage =
  | RpcRequest
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  /** An answer to something that this server never asks. */
  | { readonly kind: 'response' }
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly reason: string };

/** What a request could not become; `status` is that of HTTP. */
export interface RpcFailure {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export const requestIdSchema = z.union([z.string(), z.int()]);

const messageSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: requestIdSchema.optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});
const onlyIdSchema = z.object({ id: requestIdSchema });
const NO_PARAMS: Params = {};

export function parseMessage(value: unknown): RpcMessage {
  const parsed = messageSchema.safeParse(value);
  if (!parsed.success) {
    const id = onlyIdSchema.safeParse(value);
    const [issue] = parsed.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? 'the body' : `"${issue.path.join('.')}"`;
    return {
      kind: 'invalid',
      id: id.success ? id.data.id : null,
      reason: `This is not a JSON-RPC 2.0 message: ${place} does not fit (${issue?.message ?? 'unknown'}).`,
    };
  }
  const { id, method, params = NO_PARAMS, result, error } = parsed.data;
  if (method !== undefined) return id === undefined ? { kind: 'notification', method, params } : { kind: 'request', id, method, params };
  if (result !== undefined || error !== undefined) return { kind: 'response' };
  return { kind: 'invalid', id: id ?? null, reason: 'This is not a JSON-RPC 2.0 message: it has neither a method, a result nor an error.' };
}

/** `result` is JSON text. */
export function resultText(id: RequestId, result: string | Uint8Array): McpText {
  return [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, result, '}'];
}

/** Without an id when it could not be read: the schema of the protocol knows no null there. */
export function failureText(id: RequestId | null, { code, message, data }: RpcFailure): McpText {
  const error = data === undefined ? { code, message } : { code, message, data };
  return [JSON.stringify(id === null ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error })];
}

export function noticeText(method: string, params: Params = NO_PARAMS): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

export function invalidParams(error: z.ZodError, expected: string): RpcFailure {
  const [issue] = error.issues;
  const place = issue === undefined || issue.path.length === 0 ? 'params' : `params.${issue.path.join('.')}`;
  return { status: 200, code: RPC.invalidParams, message: `${place} does not fit: ${issue?.message ?? 'unknown'}. ${expected}` };
}

/** `status`: in the stateless protocol an unknown method is also an unknown address. */
export function unknownMethod(method: string, status: number): RpcFailure {
  return { status, code: RPC.methodNotFound, message: `There is no method "${method.slice(0, 100)}" here.` };
}
