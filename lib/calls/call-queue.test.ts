import { describe, expect, it } from 'vitest';
import { createCallQueue } from './call-queue.ts';

const never = new AbortController().signal;

describe('the call queue', () => {
  it('runs a limited number of calls per extension, and the others in order of arrival', async () => {
    const queue = createCallQueue(2, 10);
    const began: number[] = [];
    const enter = async (index: number): Promise<void> => {
      if (await queue.enter('a', never)) began.push(index);
    };
    const all = [0, 1, 2, 3].map(enter);
    await Promise.all([all[0], all[1]]);
    expect(began).toEqual([0, 1]);
    queue.leave('a');
    await all[2];
    queue.leave('a');
    await all[3];
    expect(began).toEqual([0, 1, 2, 3]);
  });

  it('does not delay calls of one extension because of another', async () => {
    const queue = createCallQueue(1, 10);
    await queue.enter('a', never);
    expect(await queue.enter('b', never)).toBe(true);
  });

  it('removes a waiting call without running it', async () => {
    const queue = createCallQueue(1, 10);
    await queue.enter('a', never);
    const controller = new AbortController();
    const waiting = queue.enter('a', controller.signal);
    controller.abort();
    expect(await waiting).toBe(false);
    queue.leave('a');
    expect(await queue.enter('a', never)).toBe(true);
  });

  it('admits calls up to the running and waiting limits, until one has left', () => {
    const queue = createCallQueue(1, 1);
    expect([queue.admit('a'), queue.admit('a'), queue.admit('a')]).toEqual([true, true, false]);
    expect(queue.admit('b')).toBe(true);
    queue.quit('a');
    expect(queue.admit('a')).toBe(true);
  });
});
