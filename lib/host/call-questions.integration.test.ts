import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';
import type { Call } from '#lib/contract/call.ts';
import type { CallQuestion } from '#lib/contract/client-asks.ts';

const EVERYTHING = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const ADA = { name: 'Ada' };
let living: LivingHost;
beforeAll(async () => {
  living = await startHost({ 'every/mcp.json': JSON.stringify({ command: 'node', args: [EVERYTHING] }) });
});
afterAll(() => living.remove());

/** A call from a page, and its first question. */
async function begin(tool: string, args: Readonly<Record<string, unknown>> = {}) {
  const { calls } = living.host;
  const { id, finished } = must(await calls.start({ tool, arguments: args, source: 'web', actor: ADA }));
  const question = await vi.waitFor(async () => {
    const [first] = must(await calls.get(id)).questions ?? [];
    if (first === undefined) throw new Error('nothing was asked yet');
    return first;
  });
  const end = async (): Promise<Call> => {
    await finished;
    return must(await calls.get(id));
  };
  return { id, question, end };
}

const textOf = ({ result }: Call): string => JSON.stringify(result);

it('a person who runs a tool on a page fills in the form requested by its server', async () => {
  const { id, question, end } = await begin('every__trigger-elicitation-request');
  expect(question).toMatchObject({ method: 'elicitation/create', params: { requestedSchema: { type: 'object' } } });
  const answer = { question: question.id, action: 'accept', content: { name: 'Ada Lovelace' } } as const;
  expect(await living.host.calls.answer(id, answer, { name: 'Eve' })).toMatchObject({
    ok: false,
    problem: { code: 'state_conflict', detail: 'Only Ada can answer its questions.' },
  });
  // On a busy machine it may have ended meanwhile.
  expect(must(await living.host.calls.answer(id, answer, ADA))).toMatchObject({
    id,
    status: expect.stringMatching(/^(?:running|succeeded)$/),
  });
  const call = await end();
  expect(textOf(call)).toContain('Ada Lovelace');
  expect(call.questions).toBeUndefined();
  expect(await living.host.calls.answer(id, answer, ADA)).toMatchObject({ ok: false, problem: { code: 'state_conflict' } });
});

it('passes a declined form to the server as declined', async () => {
  const { id, question, end } = await begin('every__trigger-elicitation-request');
  await living.host.calls.answer(id, { question: question.id, action: 'decline' }, ADA);
  expect(textOf(await end())).toMatch(/declined/i);
});

it('a person writes the message of a model, or refuses', async () => {
  const first = await begin('every__trigger-sampling-request', { prompt: 'Who?', maxTokens: 5 });
  const { id, question }: { id: string; question: CallQuestion } = first;
  expect(await living.host.calls.answer(id, { question: question.id, action: 'accept' }, ADA)).toMatchObject({
    ok: false,
    problem: { code: 'body_fields_invalid' },
  });
  must(await living.host.calls.answer(id, { question: question.id, action: 'accept', text: 'It is me' }, ADA));
  expect(textOf(await first.end())).toContain('It is me');
  const second = await begin('every__trigger-sampling-request', { prompt: 'Who?', maxTokens: 5 });
  await living.host.calls.answer(second.id, { question: second.question.id, action: 'decline' }, ADA);
  expect(JSON.stringify(await second.end())).toContain('The person refused to answer for a model.');
});

it('removes the questions of a cancelled call', async () => {
  const { id, question } = await begin('every__trigger-elicitation-request');
  expect(must(await living.host.calls.cancel(id)).status).toBe('cancelled');
  expect(await living.host.calls.answer(id, { question: question.id, action: 'cancel' }, ADA)).toMatchObject({ ok: false });
});
