import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { isApiProblem } from './api-problem.ts';
import { person } from './person.ts';
import { request } from './request.ts';

const schema = z.object({ version: z.number() });
const shape = () => Promise.resolve(schema);

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
}

const REFUSED = {
  type: '/docs/errors#admin_token_invalid',
  title: 'invalid admin token',
  status: 403,
  code: 'admin_token_invalid',
  detail: 'invalid admin token',
};

const fetched = vi.fn<(path: string, init: RequestInit) => Promise<Response>>();

beforeEach(() => {
  fetched.mockReset();
  vi.stubGlobal('fetch', fetched);
});

afterEach(() => {
  person.setName('');
  person.setAdminToken(null);
});

async function problemOf(work: Promise<unknown>) {
  const thrown: unknown = await work.catch((error: unknown) => error);
  if (!isApiProblem(thrown)) throw new Error(`Expected an ApiProblem, got ${String(thrown)}`);
  return thrown;
}

function sentHeaders(at = 0): Headers {
  return new Headers(fetched.mock.calls[at]?.[1].headers);
}

it('parses the response, and sends client and actor', async () => {
  fetched.mockResolvedValue(answer(200, { version: 4, more: true }));
  person.setName('Mia');
  expect(await request('/x', shape)).toEqual({ version: 4 });
  expect(sentHeaders().get('x-switchboard-client')).toBe('web');
  expect(sentHeaders().get('x-actor')).toBe('Mia');
});

it('percent-encodes a name that a header cannot carry', async () => {
  fetched.mockResolvedValue(answer(200, { version: 4 }));
  person.setName('Łucja');
  await request('/x', shape);
  expect(sentHeaders().get('x-actor')).toBe('%C5%81ucja');
});

it('throws the problem with code, detail, extra members and retry delay', async () => {
  fetched.mockResolvedValue(answer(429, { code: 'too_many_calls', detail: 'Wait a moment.', fields: ['a'] }, { 'retry-after': '3' }));
  const problem = await problemOf(request('/x', shape));
  expect({
    code: problem.code,
    message: problem.message,
    status: problem.status,
    retryAfter: problem.retryAfter,
    fields: problem.extra['fields'],
  }).toEqual({
    code: 'too_many_calls',
    message: 'Wait a moment.',
    status: 429,
    retryAfter: 3,
    fields: ['a'],
  });
});

it('throws a problem for an unreachable server, an unknown response or a missing reason', async () => {
  fetched.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  expect((await problemOf(request('/x', shape))).code).toBe('offline');
  fetched.mockResolvedValueOnce(answer(200, { version: 'four' }));
  expect((await problemOf(request('/x', shape))).code).toBe('answer_unreadable');
  fetched.mockResolvedValueOnce(answer(502, '<h1>Bad gateway</h1>'));
  expect((await problemOf(request('/x', shape))).message).toContain('502');
});

it('rethrows an abort unchanged', async () => {
  fetched.mockRejectedValue(new DOMException('Aborted', 'AbortError'));
  const thrown: unknown = await request('/x', shape).catch((error: unknown) => error);
  expect(isApiProblem(thrown)).toBe(false);
});

it('asks once for the admin token, and sends the write again with it', async () => {
  fetched.mockResolvedValueOnce(answer(403, REFUSED)).mockResolvedValueOnce(answer(200, { version: 5 }));
  const ask = vi.fn<(wrong: boolean) => Promise<string | null>>().mockResolvedValue('secret');
  const end = person.onTokenWanted(ask);
  expect(await request('/x', shape, { method: 'POST', admin: true })).toEqual({ version: 5 });
  expect(ask).toHaveBeenCalledExactlyOnceWith(false);
  expect(sentHeaders(1).get('x-admin-token')).toBe('secret');
  end();
});

it("shows the server's reason for the token", async () => {
  const missing = 'Restarting an extension (weather) needs the admin token of this server.';
  fetched.mockResolvedValueOnce(answer(403, { ...REFUSED, missing })).mockResolvedValueOnce(answer(200, { version: 5 }));
  const ask = vi.fn<(wrong: boolean, missing?: string) => Promise<string | null>>().mockResolvedValue('secret');
  const end = person.onTokenWanted(ask);
  await request('/x', shape, { method: 'POST', admin: true });
  expect(ask).toHaveBeenCalledExactlyOnceWith(false, missing);
  end();
});

it('says that the stored token was wrong when it asks again, and gives up without an answer', async () => {
  person.setAdminToken('old');
  fetched.mockImplementation(async () => answer(403, REFUSED));
  const ask = vi.fn<(wrong: boolean) => Promise<string | null>>().mockResolvedValue(null);
  const end = person.onTokenWanted(ask);
  expect((await problemOf(request('/x', shape, { method: 'POST', admin: true }))).code).toBe('admin_token_invalid');
  expect(ask).toHaveBeenCalledExactlyOnceWith(true);
  expect(person.adminToken()).toBeNull();
  end();
});

it('sends the token only with writes that require it', async () => {
  person.setAdminToken('secret');
  fetched.mockResolvedValue(answer(200, { version: 1 }));
  await request('/x', shape, { method: 'POST' });
  expect(sentHeaders().has('x-admin-token')).toBe(false);
});
