import type { ProblemCode } from './problems.ts';

/**
 * Why a request did not become what it asked for. Expected refusals travel as values;
 * `throw` is for bugs. `lib/api` turns a problem into `application/problem+json`.
 */
export interface Problem {
  readonly code: ProblemCode;
  /** One or two sentences: what was wrong and what would be right. */
  readonly detail: string;
  /** Further members of the problem document, snake_case. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Seconds, becomes the `Retry-After` header. */
  readonly retryAfter?: number;
}

export type Result<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: Problem };

export function ok<Value>(value: Value): Result<Value> {
  return { ok: true, value };
}

export function refuse(code: ProblemCode, detail: string, more: Omit<Problem, 'code' | 'detail'> = {}): Result<never> {
  return { ok: false, problem: { code, detail, ...more } };
}
