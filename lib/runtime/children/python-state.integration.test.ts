import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const HERE = fileURLToPath(new URL('./python', import.meta.url));
const ASK = `import json, sys
sys.path.insert(0, sys.argv[1])
from switchboard_child.state import has_module_state
print(json.dumps(has_module_state(json.load(sys.stdin))))`;

function hasState(...sources: readonly string[]): unknown {
  return JSON.parse(execFileSync('python3', ['-I', '-B', '-c', ASK, HERE], { input: JSON.stringify(sources), encoding: 'utf8' }));
}

const tool = (before: string, body: string): string => `${before}

def execute(id=None):
    ${body}

TOOL = {"name": "a", "execute": execute}
`;

it.each([
  ['assigns a global', 'count = 0', 'global count; count += 1; return count'],
  ['appends to a list', 'SEEN = []', 'SEEN.append(id)'],
  ['sets an item', 'CACHE = {}', 'CACHE[id] = 1'],
  ['sets an item of an item', 'CACHE = {"a": {}}', 'CACHE["a"][id] = 1'],
  ['deletes an item', 'CACHE = {}', 'del CACHE[id]'],
  ['adds to a set of a helper', 'from . import helper', 'helper.SEEN.add(id)'],
  ['adds to an imported set', 'from .helper import SEEN', 'SEEN.add(id)'],
  ['changes an environment variable', 'import os', 'os.environ["LAST"] = "1"'],
  ['changes behind an alias', 'USERS = {}', 'user = USERS.get(id); user["open"] = True'],
  ['changes in a loop', 'USERS = []', 'for user in USERS: user.open = True'],
  ['has an instance that changes', 'class Store:\n    def add(self):\n        self.n = 1\nstore = Store()', 'store.add()'],
  [
    'has an instance of a derived class',
    'class A:\n    def add(self):\n        self.items.append(1)\nclass B(A): pass\nstore = B()',
    'store.add()',
  ],
  ['changes a class', 'class Store:\n    n = 0', 'Store.n += 1'],
  [
    'has a closure that counts',
    'def make():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n    return inc\ninc = make()',
    'inc()',
  ],
  [
    'has a decorator that counts',
    'def counted(f):\n    seen = []\n    def run():\n        seen.append(1)\n    return run\n@counted\ndef act(): pass',
    'act()',
  ],
  ['takes values from an iterator', 'import itertools\nids = itertools.count()', 'return next(ids)'],
  ['has a database in memory', 'import sqlite3\ndb = sqlite3.connect(":memory:")', 'db.execute("…")'],
])('finds that a module %s', (_, before, body) => {
  expect(hasState(tool(before, body))).toBe(true);
});

it.each([
  ['computes', '', 'return id'],
  ['counts in a call', '', 'n = 0\n    for one in [1]: n += one\n    return n'],
  ['collects in a call', '', 'items = []\n    def add(one): items.append(one)\n    add(1)\n    return items'],
  ['reads a table', 'UNITS = {"m": 1}', 'return UNITS.get(id)'],
  ['copies a list', 'DEFAULTS = [1]', 'items = list(DEFAULTS); items.append(2); return items'],
  ['calls functions of modules', 'import os, shutil', 'os.remove(id); shutil.copy(id, id)'],
  ['fills a table at import', 'TABLE = {}\nfor one in (1, 2):\n    TABLE[one] = one', 'return TABLE[id]'],
  ['creates an instance in each call', 'class Store:\n    def add(self):\n        self.n = 1', 'store = Store(); store.add()'],
  [
    'has an instance that only reads',
    'class Reader:\n    def __init__(self):\n        self.n = 1\n    def get(self):\n        return self.n\nreader = Reader()',
    'return reader.get()',
  ],
  ['uses a local variable of the same name', 'items = []', 'items = []; items.append(1); return items'],
])('finds no state in a module that %s', (_, before, body) => {
  expect(hasState(tool(before, body))).toBe(false);
});

it('reads all files of an extension, and ignores those that are no Python', () => {
  expect(hasState(tool('', 'return 1'), 'def broken(:', 'SEEN = []\ndef note(one):\n    SEEN.append(one)\n')).toBe(true);
  expect(hasState(tool('', 'return 1'), 'def broken(:')).toBe(false);
});
