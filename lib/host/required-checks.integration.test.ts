import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { saveCallSchema, type SavedCall } from '#lib/contract/saved-call.ts';
import { type LivingHost, must, oneTool, refusal, startHost } from '#lib/testing/living-host.ts';

const ADA = { name: 'Ada' };
const PATIENCE = { timeout: 15_000 };

let shared: LivingHost;
let alone: LivingHost | null = null;
beforeAll(async () => {
  shared = await startHost({ 'neighbour/extension.ts': oneTool('neighbour', 'well') }, { prewarms: true });
});
afterAll(() => shared.remove());
afterEach(async () => {
  await alone?.remove();
  alone = null;
});

/** Saves files and waits until the extension of that id serves its first revision. */
async function begin(host: LivingHost, id: string, files: Readonly<Record<string, string>>): Promise<void> {
  await host.save(files);
  await serves(host, id, 1);
}

async function require({ host }: LivingHost, tool: string, answer: string): Promise<SavedCall> {
  const asked = { tool, name: 'Says it', expectation: { result_includes: { answer } }, required: true };
  return must(await host.savedCalls.save(saveCallSchema.parse(asked), ADA));
}

function failed(host: LivingHost, id: string) {
  return vi.waitFor(() => {
    const found = host.extension(id);
    expect(found?.failure?.code).toBe('check_failed');
    // A revision that is not published yet is shown as loading.
    expect(found?.state).toMatch(/failed|degraded/);
    return found;
  }, PATIENCE);
}

function serves(host: LivingHost, id: string, revision: number) {
  return vi.waitFor(
    () => expect(host.extension(id)).toMatchObject({ state: 'ready', serving_revision: revision, failure: null }),
    PATIENCE,
  );
}

describe('a revision with a failed required check', () => {
  it('gets no calls: the last good one continues, and the failure has the expected and the actual result', async () => {
    const { host, save, call } = shared;
    await begin(shared, 'a', { 'a/extension.ts': oneTool('say_a', 'one') });
    const saved = await require(shared, 'say_a', 'one');
    await save({ 'a/extension.ts': oneTool('say_a', 'two') });
    const degraded = await failed(shared, 'a');
    expect(degraded).toMatchObject({ state: 'degraded', revision: 2, serving_revision: 1 });
    expect(degraded?.failure).toMatchObject({
      stage: 'register',
      file: 'a/extension.ts',
      message: 'The required check “Says it” of say_a did not pass: result/answer is "two", not "one".',
      failed_checks: [
        {
          saved_call_id: saved.id,
          tool: 'say_a',
          name: 'Says it',
          reason: 'result/answer is "two", not "one".',
          expected: '{"result_includes":{"answer":"one"}}',
          came: '{"status":"succeeded","result":{"answer":"two","text":"none"}}',
        },
      ],
    });
    expect(degraded?.failure?.line).toBeGreaterThan(1);
    expect((await call('say_a')).result).toMatchObject({ answer: 'one' });
    // The check's call has no actor.
    expect(must(await host.calls.list({ tool: 'say_a', limit: 10 })).calls).toHaveLength(1);

    await save({ 'a/extension.ts': oneTool('say_a', 'one', '// fixed') });
    await serves(shared, 'a', 3);
    await vi.waitFor(async () => {
      const [group] = must(await host.failures.list({ extension: 'a', limit: 10 })).groups;
      expect(group).toMatchObject({ code: 'check_failed', status: 'resolved', count: 1, resolved_by: { revision: 3 } });
    }, PATIENCE);
    expect(refusal(await host.extensions.rollback('a', 2, ADA)).code).toBe('state_conflict');
    must(await host.savedCalls.change(saved.id, { expectation: { result_includes: { answer: 'other' } } }, ADA));
    expect(must(await host.extensions.rollback('a', 1, ADA)).serving_revision).toBe(1);
    expect(must(await host.extensions.restart('a', ADA))).toMatchObject({ state: 'ready', serving_revision: 1 });
  });

  it('is retried when the check is changed, no longer required or removed; a running one is not', async () => {
    const { save, reload } = shared;
    const { savedCalls, snapshots } = shared.host;
    await begin(shared, 'b', { 'b/extension.ts': oneTool('say_b', 'one') });
    const saved = await require(shared, 'say_b', 'one');
    await save({ 'b/extension.ts': oneTool('say_b', 'two') });
    await failed(shared, 'b');
    must(await savedCalls.change(saved.id, { expectation: { result_includes: { answer: 'two' } } }, ADA));
    await serves(shared, 'b', 2);
    expect(must(await snapshots.list({ extension: 'b', limit: 1 })).snapshots[0]?.cause).toMatchObject({ kind: 'reload', actor: 'Ada' });

    must(await savedCalls.change(saved.id, { expectation: { result_includes: { answer: 'three' } } }, ADA));
    await reload();
    await serves(shared, 'b', 2);
    await save({ 'b/extension.ts': oneTool('say_b', 'four') });
    await failed(shared, 'b');
    must(await savedCalls.change(saved.id, { required: false }, ADA));
    await serves(shared, 'b', 3);

    must(await savedCalls.change(saved.id, { required: true }, ADA));
    await save({ 'b/extension.ts': oneTool('say_b', 'five') });
    await failed(shared, 'b');
    must(await savedCalls.remove(saved.id, ADA));
    await serves(shared, 'b', 4);
  });

  it('reports that the tool was removed, or is destructive now, without calling it', async () => {
    await begin(shared, 'c', { 'c/extension.ts': oneTool('say_c', 'one') });
    await require(shared, 'say_c', 'one');
    await shared.save({ 'c/extension.ts': oneTool('say_it_anew', 'one') });
    const gone = await failed(shared, 'c');
    expect(gone?.failure?.failed_checks?.[0]).toMatchObject({ reason: 'This revision has no tool with this name.', came: null });
    expect(gone?.tools).toEqual(['say_c']);
    const destructive = oneTool('say_c', 'one').replace('parameters:', 'annotations: { destructiveHint: true }, parameters:');
    await shared.save({ 'c/extension.ts': destructive });
    await vi.waitFor(() => expect(shared.extension('c')?.failure?.message).toContain('declares that it is destructive'), PATIENCE);
  });

  it('blocks a first load as well, when a tool returns in another extension', async () => {
    const { save, extension } = shared;
    await begin(shared, 'd', { 'd/extension.ts': oneTool('say_d', 'one') });
    await require(shared, 'say_d', 'one');
    await save({ d: null });
    await vi.waitFor(() => expect(extension('d')).toBeUndefined(), PATIENCE);
    await save({ 'e/extension.ts': oneTool('say_d', 'two') });
    expect(await failed(shared, 'e')).toMatchObject({ state: 'failed', serving_revision: null, revision: 1 });
    await save({ 'e/extension.ts': oneTool('say_d', 'one') });
    await serves(shared, 'e', 2);
  });

  it('gets no calls in Python either', async () => {
    const python = (answer: string): string => `def run(text: str = "none"):\n    """Says it."""\n    return {"answer": "${answer}"}\n`;
    await begin(shared, 'tools/say_p', { 'tools/say_p.py': python('one') });
    const saved = await require(shared, 'say_p', 'one');
    await shared.save({ 'tools/say_p.py': python('two') });
    expect(await failed(shared, 'tools/say_p')).toMatchObject({
      state: 'degraded',
      serving_revision: 1,
      failure: { file: 'tools/say_p.py', failed_checks: [{ saved_call_id: saved.id, reason: 'result/answer is "two", not "one".' }] },
    });
    expect((await shared.call('say_p')).result).toEqual({ answer: 'one' });
    await shared.save({ 'tools/say_p.py': `${python('one')}# fixed\n` });
    await serves(shared, 'tools/say_p', 3);
  });

  it('stays blocked after a restart of the server, which does not check loaded revisions again', async () => {
    const host = await startHost({ 'a/extension.ts': oneTool('say_a', 'one') });
    alone = host;
    await require(host, 'say_a', 'other');
    await host.save({ 'a/extension.ts': oneTool('say_a', 'two') });
    await failed(host, 'a');
    const again = await host.restart();
    alone = again;
    expect(again.extension('a')).toMatchObject({ state: 'degraded', serving_revision: 1, failure: { code: 'check_failed', count: 2 } });
    expect((await again.call('say_a')).result).toMatchObject({ answer: 'one' });
    await again.save({ 'a/extension.ts': oneTool('say_a', 'one') });
    await serves(again, 'a', 1);
    const third = await again.restart();
    alone = third;
    expect(third.extension('a')).toMatchObject({ state: 'ready', serving_revision: 1 });
  });

  it('is withdrawn with KEEP_LAST_GOOD=false, and its calls are refused', async () => {
    const host = await startHost({ 'a/extension.ts': oneTool('say_a', 'one') }, { keepLastGood: false });
    alone = host;
    await require(host, 'say_a', 'one');
    await host.save({ 'a/extension.ts': oneTool('say_a', 'two') });
    expect(await failed(host, 'a')).toMatchObject({ state: 'failed', serving_revision: null });
    expect(await host.call('say_a')).toMatchObject({ status: 'failed', error: { kind: 'extension_unavailable' } });
    await host.save({ 'a/extension.ts': oneTool('say_a', 'one', '// fixed') });
    await serves(host, 'a', 3);
  });
});

describe('a check', () => {
  it('cannot be required when the server cannot run it automatically, with the reason', async () => {
    const tools = `const base = { label: 'T', description: 'D.', execute: () => 1 };
export const TOOLS = [{ ...base, name: 'open_safe', parameters: { api_key: { type: 'string' } } }, { ...base, name: 'clear_all', parameters: {}, annotations: { destructiveHint: true } }];`;
    await begin(shared, 'f', { 'f/extension.ts': tools });
    const { savedCalls } = shared.host;
    const refused = async (more: Readonly<Record<string, unknown>>): Promise<string> =>
      refusal(await savedCalls.save(saveCallSchema.parse({ name: 'One', required: true, expectation: {}, ...more }), ADA)).detail;
    expect(await refused({ tool: 'open_safe', expectation: null })).toContain('Only a check can be required');
    expect(await refused({ tool: 'open_safe', arguments: { api_key: 'correct-horse' } })).toContain('/api_key');
    expect(await refused({ tool: 'clear_all' })).toContain('clear_all');
    const asked = saveCallSchema.parse({ tool: 'open_safe', name: 'Two', required: true, expectation: {} });
    const saved = must(await savedCalls.save(asked, ADA));
    expect(saved.required).toBe(true);
    expect(refusal(await savedCalls.change(saved.id, { expectation: null }, ADA)).detail).toContain('Only a check can be required');
    expect(must(await savedCalls.change(saved.id, { expectation: null, required: false }, ADA))).toMatchObject({ required: false });
  });
});
