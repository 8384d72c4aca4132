import type { ProblemCode } from './problems.ts';

/**
 * Why a request was rejected. Expected errors are values; `throw` is for bugs. `lib/api` converts a problem to
 * `application/problem+json`.
 */
export interface Problem {
  readonly code: ProblemCode;
  /** What was wrong and what is right. */
  readonly detail: string;
  /** Further members of the problem document, snake_case. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Seconds for the `Retry-After` header. */
  readonly retryAfter?: number;
  /** For the `WWW-Authenticate` header. */
  readonly challenge?: string;
}

export type Result<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: Problem };

export function ok<Value>(value: Value): Result<Value> {
  return { ok: true, value };
}

export function refuse(code: ProblemCode, detail: string, more: Omit<Problem, 'code' | 'detail'> = {}): Result<never> {
  return { ok: false, problem: { code, detail, ...more } };
}
