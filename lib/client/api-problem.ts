import type { ProblemCode } from '#lib/contract/problems.ts';

/** `offline`: the server could not be reached. `answer_unreadable`: what came back is not what this page understands. */
export type ApiProblemCode = ProblemCode | 'offline' | 'answer_unreadable';

/** A request that was refused or did not get through. `message` is one or two sentences that can be shown as they are. */
export class ApiProblem extends Error {
  readonly code: ApiProblemCode;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Further members of the problem document, for example `fields`. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Seconds until it makes sense to try again; null when the server did not say. */
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

/** Told apart by name and code, so that it also holds for a copy of the class in another bundle. */
export function isApiProblem(error: unknown): error is ApiProblem {
  return error instanceof Error && error.name === 'ApiProblem' && 'code' in error;
}

export function hasProblemCode(error: unknown, code: ApiProblemCode): boolean {
  return isApiProblem(error) && error.code === code;
}

/** The server refused what stands in this field, and says so by name. */
export function isAboutField(error: unknown, field: string): boolean {
  if (!isApiProblem(error)) return false;
  const { issues } = error.extra;
  return Array.isArray(issues) && issues.some((issue: unknown) => isIssueAt(issue, `/${field}`));
}

function isIssueAt(issue: unknown, path: string): boolean {
  return typeof issue === 'object' && issue !== null && 'path' in issue && issue.path === path;
}

/** Two sentences for a person, whatever was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error && error.message !== '') return error.message;
  return 'The page could not finish this. Reload the page and try again.';
}

/** Reads the problem document of an answer that is not 2xx. */
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
  return new ApiProblem('answer_unreadable', `The server answered ${response.status} without saying why. Its log has more.`, more);
}

/** As long as the shortest integer that a double changes. */
const LONG_NUMBER = /\d{16}/;

/** `undefined` for what is no JSON. What reads long integers exactly is loaded by the first answer that may have one. */
export async function parseJson(text: string): Promise<unknown> {
  try {
    if (!LONG_NUMBER.test(text)) return JSON.parse(text);
    const { parseExactJson } = await import('#lib/contract/exact-json.ts');
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** By its look: the table is large for every page, and a code of a newer server, which no page knows, is none that a page asks for. */
function isProblemCode(code: string): code is ProblemCode {
  return /^[a-z_]+$/.test(code);
}
