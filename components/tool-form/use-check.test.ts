import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CheckAnswer, type CheckQuestion, READY } from './check-messages.ts';
import { planForm } from './form-plan.ts';
import { REQUIRED } from './issues.ts';
import { expandMissingObjects, createPayloadCheck } from './use-check.ts';

const ADDRESS = {
  type: 'object',
  properties: {
    street: { type: 'string' },
    'a/b': { type: 'object', properties: { deep: { type: 'integer' }, kind: { const: 'x' } }, required: ['deep', 'kind'] },
    note: { type: 'string' },
  },
  required: ['street', 'a/b'],
};
const FORM = planForm({
  type: 'object',
  properties: {
    company: { type: 'boolean' },
    free: { type: 'object' },
    list: { type: 'array', items: { type: 'object', properties: { address: ADDRESS } } },
  },
  if: { properties: { company: { const: true } }, required: ['company'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { address: ADDRESS, maybe: { ...ADDRESS, type: ['object', 'null'] } }, required: ['address', 'maybe'] },
});
const at = (path: string) => ({ path, message: REQUIRED });

it.each([
  ['is reported at its required properties, at any depth', '/address', { company: true }, ['/address/street', '/address/a~1b/deep']],
  [
    'is reported at its required properties in a list item, too',
    '/list/0/address',
    { list: [{}] },
    ['/list/0/address/street', '/list/0/address/a~1b/deep'],
  ],
  ['stays unchanged if it may be null', '/maybe', { company: true }, ['/maybe']],
  ['stays unchanged if it requires nothing', '/free', {}, ['/free']],
  ['stays unchanged outside the form', '/other', {}, ['/other']],
])('the error of a missing object %s', (_, path, payload, expected) => {
  expect(expandMissingObjects([at(path)], FORM, payload)).toEqual(expected.map(at));
});

it('other errors are reported at their value', () => {
  const other = { path: '/address', message: 'Enter an object.' };
  expect(expandMissingObjects([at('/address'), other], FORM, { company: true, address: {} })).toEqual([at('/address'), other]);
});

afterEach(() => {
  vi.useRealTimers();
});

/** A fake worker that answers with `reply`, or never. */
function fakeWorker(reply: (question: CheckQuestion) => CheckAnswer | null) {
  const target = new EventTarget();
  const worker = {
    terminated: 0,
    addEventListener: target.addEventListener.bind(target),
    postMessage(question: CheckQuestion) {
      const answer = reply(question);
      if (answer !== null) queueMicrotask(() => target.dispatchEvent(new MessageEvent('message', { data: answer })));
    },
    terminate() {
      worker.terminated += 1;
    },
  };
  const say = (answer: CheckAnswer) => target.dispatchEvent(new MessageEvent('message', { data: answer }));
  return { worker, asWorker: worker as unknown as Worker, say };
}

describe('createPayloadCheck', () => {
  it('resolves each check with its own issues', async () => {
    const { asWorker } = fakeWorker(({ id, payload }) => ({ id, issues: [{ path: '/a', message: JSON.stringify(payload) }] }));
    const check = createPayloadCheck({ type: 'object' }, () => asWorker);
    const [one, two] = await Promise.all([check.check({ n: 1 }), check.check({ n: 2 })]);
    expect(one?.[0]?.message).toBe('{"n":1}');
    expect(two?.[0]?.message).toBe('{"n":2}');
  });

  it('terminates a worker that hangs, and leaves validation to the server', async () => {
    vi.useFakeTimers();
    const { worker, asWorker, say } = fakeWorker(() => null);
    let made = 0;
    const check = createPayloadCheck({ type: 'object' }, () => {
      made += 1;
      return asWorker;
    });
    const answer = check.check({});
    say({ id: READY, issues: null });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await answer).toBeNull();
    expect(worker.terminated).toBe(1);
    expect(await check.check({})).toBeNull();
    expect(made).toBe(1);
  });

  it('waits for a slow worker, and starts the timeout of a check after that', async () => {
    vi.useFakeTimers();
    const { worker, asWorker, say } = fakeWorker(() => null);
    const check = createPayloadCheck({ type: 'object' }, () => asWorker);
    const answer = check.check({});
    await vi.advanceTimersByTimeAsync(20_000);
    say({ id: READY, issues: null });
    await vi.advanceTimersByTimeAsync(1_000);
    say({ id: 1, issues: [] });
    expect(await answer).toEqual([]);
    expect(worker.terminated).toBe(0);
  });

  it('resolves pending checks when it is closed', async () => {
    const { worker, asWorker } = fakeWorker(() => null);
    const check = createPayloadCheck({ type: 'object' }, () => asWorker);
    const answer = check.check({});
    check.close();
    expect(await answer).toBeNull();
    expect(worker.terminated).toBe(1);
  });
});
