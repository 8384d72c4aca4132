import { describe, expect, it } from 'vitest';
import { createMessageFlow } from './message-flow.ts';

describe('a flood of log lines', () => {
  it('keeps the newest, and reports to each call how many of its lines are missing', () => {
    const passed: string[] = [];
    const missing: [lines: number, id: number | null][] = [];
    const flow = createMessageFlow({
      onLog: (id, _level, payload) => passed.push(`${id} ${payload.toString('utf8')}`),
      onProgress: () => undefined,
      onLeftOut: (lines, id) => missing.push([lines, id]),
    });
    const line = 'x'.repeat(968);
    for (let at = 0; at < 200; at += 1) flow.log(at % 4 === 0 ? 2 : 1, 'info', Buffer.from(`${line}${at}`));
    flow.end(1);
    const inAll = 200 - passed.length;
    const [, ofOne = 0, ofTwo = 0] = missing.map(([lines]) => lines);
    expect(passed.at(-1)).toBe(`1 ${line}199`);
    expect(inAll).toBeGreaterThan(50);
    expect(ofOne).toBeGreaterThan(ofTwo);
    expect(ofOne + ofTwo).toBe(inAll);
    flow.end(2);
    expect(missing).toEqual([
      [inAll, null],
      [ofOne, 1],
      [ofTwo, 2],
      [ofOne, 1],
      [ofTwo, 2],
    ]);
    flow.end(1);
    flow.close();
    expect(missing).toHaveLength(5);
  });

  it('below the limit passes at once, and no line is reported as missing', () => {
    const passed: number[] = [];
    const flow = createMessageFlow({
      onLog: (id) => passed.push(id),
      onProgress: () => undefined,
      onLeftOut: () => expect.unreachable(),
    });
    for (let at = 0; at < 400; at += 1) flow.log(1, 'info', Buffer.from('{}'));
    expect(passed).toHaveLength(400);
    flow.end(1);
    flow.close();
  });
});
