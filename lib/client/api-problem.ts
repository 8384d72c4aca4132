import type { ProblemCode } from '#lib/contract/problems.ts';

/** `offline`: the server is unreachable. `answer_unreadable`: the response has an unknown shape. */
export type ApiProblemCode = ProblemCode | 'offline' | 'answer_unreadable';

/** A failed request. `message` is one or two sentences that can be shown as they are. */
export class ApiProblem extends Error {
  readonly code: ApiProblemCode;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Other members of the problem document, for example `fields`. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Seconds until a retry makes sense; null if the server does not say. */
  readonly retryAfter: number | null;

  constructor(
    code: ApiProblemCode,
    detail: string,
    more: { status?: number; extra?: Readonly<Record<string, unknown>>; retryAfter?: number | null; cause?: unknown } = {},
  ) {
    super(detail, more.cause === undefined ? {} : { cause: more.cause });
    this.name = 'ApiProblem';
    this.code = code;
    this.status = more.status ?? 0;
    this.extra = more.extra ?? {};
    this.retryAfter = more.retryAfter ?? null;
  }
}

/** By name and code, so that it also works for a copy of the class in another bundle. */
export function isApiProblem(error: unknown): error is ApiProblem {
  return error instanceof Error && error.name === 'ApiProblem' && 'code' in error;
}

export function hasProblemCode(error: unknown, code: ApiProblemCode): boolean {
  return isApiProblem(error) && error.code === code;
}

/** Whether the server rejected the value of this field. */
export function isAboutField(error: unknown, field: string): boolean {
  if (!isApiProblem(error)) return false;
  const { issues } = error.extra;
  return Array.isArray(issues) && issues.some((issue: unknown) => isIssueAt(issue, `/${field}`));
}

function isIssueAt(issue: unknown, path: string): boolean {
  return typeof issue === 'object' && issue !== null && 'path' in issue && issue.path === path;
}

/** Two sentences for any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof Error && error.message !== '') return error.message;
  return 'The page could not finish this. Reload the page and try again.';
}

/** Reads the problem document of a response that is not 2xx. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const more = { status: response.status, retryAfter: Number.isFinite(seconds) ? seconds : null };
  const text = await response.text();
  const parsed = await parseJson(text);
  if (typeof parsed === 'object' && parsed !== null && 'code' in parsed && 'detail' in parsed) {
    const { code, detail } = parsed;
    if (typeof code === 'string' && typeof detail === 'string' && isProblemCode(code))
      return new ApiProblem(code, detail, { ...more, extra: { ...parsed } });
  }
  return new ApiProblem(
    'answer_unreadable',
    `The server returned an error (${response.status}). See the server log, then try again.`,
    more,
  );
}

/** Digits of the shortest integer that a double cannot represent. */
const LONG_NUMBER = /\d{16}/;

/** `undefined` for invalid JSON. The exact parser for long integers loads with the first response that may have one. */
export async function parseJson(text: string): Promise<unknown> {
  try {
    if (!LONG_NUMBER.test(text)) return JSON.parse(text);
    const { parseExactJson } = await import('#lib/contract/exact-json.ts');
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** By its form: the table of codes is large, and a code of a newer server is unknown to pages anyway. */
function isProblemCode(code: string): code is ProblemCode {
  return /^[a-z_]+$/.test(code);
}
