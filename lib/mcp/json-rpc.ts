import { z } from 'zod';
import type { McpJson } from '#lib/contract/mcp-exchange.ts';
import { fieldIssues } from '#lib/contract/field-words.ts';
import { RPC } from './protocol.ts';

/** Each method declares its params. */
const NOTHING_NAMED = z.unknown();

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

/** A JSON-RPC error. */
export interface RpcFailure {
  /** HTTP status; 200 by default, since errors of methods are not HTTP errors. */
  readonly status?: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  /** For the `WWW-Authenticate` header. */
  readonly challenge?: string | undefined;
}

/** An error before a server exists for the message. */
export interface Refusal extends RpcFailure {
  readonly status: number;
}

/**
 * The id is null if it could not be read. JSON-RPC requires that; the MCP schema allows an absent id and no null, but the
 * official servers send null, and clients read such a body by its status alone.
 */
export function failureAnswer(id: RequestId | null, { status = 200, code, message, data, challenge }: RpcFailure): McpJson {
  const error = data === undefined ? { code, message } : { code, message, data };
  const json = [JSON.stringify({ jsonrpc: '2.0', id, error })];
  return challenge === undefined ? { status, json } : { status, json, headers: { 'www-authenticate': challenge } };
}

export function invalidParams(error: z.ZodError, expected: string): RpcFailure {
  const [issue] = fieldIssues('The value', NOTHING_NAMED, error.issues);
  return { code: RPC.invalidParams, message: `Invalid params: ${issue?.message ?? ''} ${expected}` };
}
