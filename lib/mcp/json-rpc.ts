import { z } from 'zod';
import type { McpJson } from '#lib/contract/mcp-exchange.ts';
import { fieldIssues } from '#lib/contract/field-words.ts';
import { RPC } from './protocol.ts';

/** What params there are is said with each method. */
const NOTHING_NAMED = z.unknown();

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

/** Why a message gets no result. */
export interface RpcFailure {
  /** Of HTTP; 200 where it is absent: what a method says is no matter of HTTP. */
  readonly status?: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A failure that is answered before there is a server object for the message. */
export interface Refusal extends RpcFailure {
  readonly status: number;
}

/**
 * The id is null where it could not be read. JSON-RPC asks for that; the schema of MCP lets it be absent and knows no null, but
 * the official servers send null, and clients read such a body by its status alone.
 */
export function failureAnswer(id: RequestId | null, { status = 200, code, message, data }: RpcFailure): McpJson {
  const error = data === undefined ? { code, message } : { code, message, data };
  return { status, json: [JSON.stringify({ jsonrpc: '2.0', id, error })] };
}

export function invalidParams(error: z.ZodError, expected: string): RpcFailure {
  const [issue] = fieldIssues('The whole', NOTHING_NAMED, error.issues);
  return { code: RPC.invalidParams, message: `The params do not fit: ${issue?.message ?? ''} ${expected}` };
}
