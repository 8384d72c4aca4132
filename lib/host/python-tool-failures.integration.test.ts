import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LivingHost, startHost } from '#lib/testing/living-host.ts';

const PATIENCE = { timeout: 15_000 };
let alone: LivingHost | null = null;
afterEach(async () => {
  await alone?.remove();
  alone = null;
});

describe('an invalid one-file tool in Python', () => {
  it.each([
    ['a function', 'from typing import Callable\n\ndef run(\n    a: int,\n    then: Callable[[], None],\n): ...\n', 5, /`then`.*`Callable/],
    ['a class of its own', 'class Pump: ...\n\ndef run(pump: list[Pump]): ...\n', 3, /`pump`.*`Pump`/],
    ['a socket', 'import socket\n\ndef run(line: socket.socket): ...\n', 3, /`line`.*`socket`/],
  ])('names the parameter and its type: %s', async (_, text, line, says) => {
    alone = await startHost({ 'tools/x.py': text });
    const failure = alone.extension('tools/x')?.failure;
    expect(failure).toMatchObject({ code: 'type_unsupported', stage: 'schema', file: 'tools/x.py', line });
    expect(failure?.message).toMatch(says);
    expect(failure?.code_frame).toContain(`> ${line} |`);
  });

  it.each([
    ['def main(): ...\n', /`run` where it says `main`/],
    ['TOOL = {}\n', /extension\.py/],
    ['run = 3\n', /a number; it must be a function/],
  ])('reports that run is missing: %s', async (text, says) => {
    alone = await startHost({ 'tools/x.py': text });
    const failure = alone.extension('tools/x')?.failure;
    expect(failure).toMatchObject({ code: 'run_missing', file: 'tools/x.py', line: 1 });
    expect(`${failure?.message} ${failure?.hint}`).toMatch(says);
  });

  it('names the undefined name in a hint, and recovers after a save', async () => {
    alone = await startHost({ 'tools/x.py': 'from __future__ import annotations\n\ndef run(a: Missing): ...\n' });
    expect(alone.extension('tools/x')?.failure).toMatchObject({ code: 'import_error', line: 3 });
    expect(alone.extension('tools/x')?.failure?.message).toContain("name 'Missing' is not defined");
    const inside = 'from typing import TypedDict\n\nclass Box(TypedDict):\n    lid: "Missing"\n\ndef run(a: Box): ...\n';
    await alone.save({ 'tools/x.py': inside });
    await vi.waitFor(async () => expect(alone?.extension('tools/x')?.failure).toMatchObject({ code: 'import_error', line: 6 }), PATIENCE);
    await alone.save({ 'tools/x.py': 'def run(a: int) -> int:\n    return a + 1\n' });
    await vi.waitFor(async () => expect(alone?.extension('tools/x')?.state).toBe('ready'), PATIENCE);
    expect((await alone.call('x', { a: 1 })).result).toBe(2);
  });
});
