import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

/** Tools with blocking calls, in each form of an extension, and some that only look like it. */
const SERVICE = `import asyncio
import functools
import time
from subprocess import run as start
from urllib import request


def fetch(url):
    return request.urlopen(url).read()


async def execute_ask(seconds: int):
    time.sleep(seconds)


def execute_fetch(url: str):
    return fetch(url)


async def execute_rest(seconds: int):
    def later():
        time.sleep(seconds)

    await asyncio.sleep(0)
    await asyncio.to_thread(time.sleep, seconds)
    await asyncio.to_thread(later)


def tool(name, execute, **parameters):
    return {"label": "Guests", "name": name, "description": "Asks the front desk.", "parameters": parameters, "execute": execute}


SECONDS = {"type": "integer", "description": "How long the guest waits", "required": True}
TOOLS = [
    tool("ask_desk", execute_ask, seconds=SECONDS),
    tool("fetch_page", execute_fetch, url={"type": "string", "description": "Of the page", "required": True}),
    tool("wait_for_guest", execute_rest, seconds=SECONDS),
    tool("list_files", functools.partial(lambda: start(["ls"]))),
]
`;

const READ_CLOCK = `from time import sleep


async def run():
    """Reads the clock of the lobby."""
    sleep(1)
`;

const LIST_GUESTS = `import { execSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Lists tonight's guests. */
export async function run(): Promise<string> {
  return execSync('cat guests').toString() + (await readFile('guests', 'utf8'));
}
`;

const KITCHEN = `import { readFileSync } from 'node:fs';

const MENU = () => readFileSync('menu.txt', 'utf8');

export const TOOL = {
  label: 'Kitchen',
  name: 'read_menu',
  description: 'Reads what is served today.',
  parameters: {},
  execute: () => readFileSync('menu.txt', 'utf8') + MENU(),
};
`;

let living: LivingHost;

beforeAll(async () => {
  living = await startHost({
    'service/extension.py': SERVICE,
    'tools/read_clock.py': READ_CLOCK,
    'tools/list_guests.ts': LIST_GUESTS,
    'kitchen/extension.ts': KITCHEN,
  });
});

afterAll(() => living.remove());

const warnings = (name: string): readonly string[] => must(living.host.tools.get(name)).warnings;

it('get a warning with the blocking call, its location and a fix', () => {
  expect(warnings('ask_desk')).toEqual([
    '`execute` is async and calls `time.sleep` (line 13), which blocks: until it returns, no other call of this extension can run or be cancelled. Use `await asyncio.sleep(…)`, or `await asyncio.to_thread(time.sleep, …)`.',
  ]);
  expect(warnings('fetch_page')).toEqual([
    '`execute` blocks in `urllib.request.urlopen` (line 9): a cancelled or timed-out call keeps its thread until it returns. Make it `async def` with a client that is awaited, such as `httpx.AsyncClient`, and it ends at once.',
  ]);
  expect(warnings('list_files')).toEqual([expect.stringContaining('`execute` blocks in `subprocess.run` (line 38)')]);
  expect(warnings('read_clock')).toEqual([expect.stringContaining('`run` is async and calls `time.sleep` (line 6)')]);
  expect(warnings('list_guests')).toEqual([expect.stringContaining('`run` calls `execSync`, which blocks')]);
  expect(warnings('read_menu')).toEqual([expect.stringContaining('`execute` calls `readFileSync`, which blocks')]);
});

it('get no warning when the blocking call runs in a thread', () => {
  expect(warnings('wait_for_guest')).toEqual([]);
});
