import { mkdtempSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, startHost } from '#lib/testing/living-host.ts';

/** Python extensions that start processes, read package data and hold connections open. */
const tool = (name: string, execute: string, parameters = '{}') =>
  `{"label": "Test", "name": "${name}", "description": "Tests.", "parameters": ${parameters}, "execute": ${execute}}`;
const TEXT = '{"how": {"type": "string"}}';

const RUN_POOLS = `import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

import _numbers
from ._numbers import double, refuse


def square(number):
    return number * number, sorted(name for name in os.environ if name.startswith("SWITCHBOARD"))


def in_a_pool_of_its_own(number):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.map(double, [number])


def run_pool(how):
    context = multiprocessing.get_context(how)
    with context.Pool(2) as pool:
        squares = pool.map(square, [1, 2])
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return [squares, list(pool.map(double, [1])), list(pool.map(_numbers.double, [2])), list(pool.map(in_a_pool_of_its_own, [3]))]


def run_failing_pool(how):
    with multiprocessing.get_context(how).Pool(1) as pool:
        pool.map(refuse, [1])


TOOLS = [${tool('run_pool', 'run_pool', TEXT)}, ${tool('run_failing_pool', 'run_failing_pool', TEXT)}]
`;

const NUMBERS = `from switchboard import ToolError


def double(number):
    return 2 * number


def refuse(number):
    raise ToolError("there is no such number", "not_found", {"number": number})
`;

const READ_DATA = `import importlib.resources
import pkgutil

from . import parts


def read_data():
    files = importlib.resources.files(__package__)
    return [
        files.joinpath("words.txt").read_text(),
        files.joinpath("parts", "inner.txt").read_text(),
        importlib.resources.files(parts).joinpath("inner.txt").read_text(),
        importlib.resources.files(f"{__package__}.plain").joinpath("data.txt").read_text(),
        pkgutil.get_data(__package__, "words.txt").decode(),
        pkgutil.get_data(__name__, "plain/data.txt").decode(),
    ]


TOOL = ${tool('read_data', 'read_data')}
`;

const KEEP_NOTES = `import sqlite3
import time

notes = sqlite3.connect(":memory:")
notes.execute("CREATE TABLE notes (text)")


def add_note(how):
    notes.execute("INSERT INTO notes VALUES (?)", (how,))
    notes.commit()
    return notes.execute("SELECT count(*) FROM notes").fetchone()[0]


def block_thread(ctx):
    while not ctx.signal.aborted:
        time.sleep(0.05)
    time.sleep(8)


def status():
    return {"notes": notes.execute("SELECT count(*) FROM notes").fetchone()[0]}


TOOLS = [${tool('add_note', 'add_note', TEXT)}, ${tool('block_thread', 'block_thread')}]
`;

const MIX_NOTES = `import sqlite3
import threading

notes = sqlite3.connect(":memory:")
both = threading.Barrier(2)


def count_plainly():
    return notes.execute("SELECT 1").fetchone()[0]


async def count_async():
    return notes.execute("SELECT 1").fetchone()[0]


def meet():
    return both.wait(20) >= 0


TOOLS = [${tool('count_plainly', 'count_plainly')}, ${tool('count_async', 'count_async')}, ${tool('meet', 'meet')}]
`;

describe('an extension in Python', () => {
  let living: LivingHost;
  /** For sockets of `forkserver`, which remain when a process is ended; with a short path, as sockets need one. */
  const temporary = mkdtempSync('/tmp/python-');
  beforeAll(async () => {
    const files = {
      'run_pools/extension.py': RUN_POOLS,
      'run_pools/_numbers.py': NUMBERS,
      'tools/square_all.py':
        'import multiprocessing\n\ndef square(number):\n    return number * number\n\ndef run(numbers: list[int]):\n    with multiprocessing.get_context("forkserver").Pool(1) as pool:\n        return pool.map(square, numbers)\n',
      'read_data/extension.py': READ_DATA,
      'read_data/words.txt': 'words',
      'read_data/parts/__init__.py': '',
      'read_data/parts/inner.txt': 'inner',
      'read_data/plain/data.txt': 'data',
      'keep_notes/extension.py': KEEP_NOTES,
      'mix_notes/extension.py': MIX_NOTES,
    };
    living = await startHost(files, {}, null, { TMPDIR: temporary });
  });
  afterAll(async () => {
    await living.remove();
    rmSync(temporary, { recursive: true });
  });

  it.each(['fork', 'spawn', 'forkserver'])('runs its own functions in multiprocessing processes (%s)', async (how) => {
    expect(await living.call('run_pool', { how })).toMatchObject({
      status: 'succeeded',
      result: [
        [
          [1, []],
          [4, []],
        ],
        [2],
        [4],
        [[6]],
      ],
    });
  });

  it('runs them in a one-file tool, too', async () => {
    expect((await living.call('square_all', { numbers: [2, 3] })).result).toEqual([4, 9]);
  });

  it.each(['fork', 'spawn'])('fails with the error of the other process (%s)', async (how) => {
    expect((await living.call('run_failing_pool', { how })).error).toEqual({
      kind: 'not_found',
      message: 'there is no such number',
      data: { number: 1 },
    });
  });

  it('finds the data in its packages, with `__init__.py` and without', async () => {
    expect((await living.call('read_data')).result).toEqual(['words', 'inner', 'inner', 'data', 'words', 'data']);
    await living.save({ 'read_data/words.txt': 'other' });
    expect((await living.call('read_data')).result).toEqual(['other', 'inner', 'inner', 'data', 'other', 'data']);
  });

  it('uses a connection of sqlite3 that was opened when its file was imported', async () => {
    const calls = await Promise.all([1, 2, 3].map((number) => living.call('add_note', { how: `note ${number}` })));
    expect(calls.map(({ result }) => result)).toEqual([1, 2, 3]);
    expect(must(await living.host.extensions.get('keep_notes')).status).toMatchObject({ notes: 3 });
  });

  it('reports a blocked event loop and gets a new process, without delaying calls', async () => {
    const blocked = living.call('block_thread', {}, { timeoutMs: 2_000 });
    const waiting = living.call('add_note', { how: 'late' });
    expect(await blocked).toMatchObject({ status: 'timed_out' });
    expect(await waiting).toMatchObject({
      error: { kind: 'extension_unavailable', message: expect.stringContaining('still runs in the only thread for calls') },
    });
    await expect.poll(async () => (await living.call('add_note', { how: 'new' })).status, { timeout: 20_000 }).toBe('succeeded');
  });

  it('runs plain functions concurrently beside async ones, and explains a connection of another thread', async () => {
    const met = await Promise.all([living.call('meet'), living.call('meet')]);
    expect(met.map(({ result }) => result)).toEqual([true, true]);
    expect((await living.call('count_async')).result).toBe(1);
    expect((await living.call('count_plainly')).error).toMatchObject({
      kind: 'execution_error',
      message: expect.stringContaining('`sqlite3.connect(…, check_same_thread=False)` and use it under a `threading.Lock`') as unknown,
    });
  });
});
