import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const HERE = fileURLToPath(new URL('./python', import.meta.url));
/** Answers a line with sources. */
const ANSWER = `import json, sys
sys.path.insert(0, sys.argv[1])
from switchboard_child.state import has_module_state
for line in sys.stdin:
    print(json.dumps(has_module_state(json.loads(line))), flush=True)`;
const python = spawn('python3', ['-I', '-B', '-c', ANSWER, HERE], { stdio: ['pipe', 'pipe', 'inherit'] });
const answers = createInterface(python.stdout)[Symbol.asyncIterator]();
afterAll(async () => {
  python.stdin.end();
  await once(python, 'exit');
});

async function hasState(...sources: readonly string[]): Promise<unknown> {
  python.stdin.write(`${JSON.stringify(sources)}\n`);
  const { value, done } = await answers.next();
  if (done === true) throw new Error('Python ended');
  return JSON.parse(value);
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
  ['changes an argument of a helper function', 'SEEN = []\ndef remember(items, one):\n    items.append(one)', 'remember(SEEN, id)'],
  ['changes a named argument', 'STATE = {"n": 0}\ndef bump(one, *, of):\n    own = of\n    own["n"] += 1', 'bump(1, of=STATE)'],
  ['changes an argument of an argument', 'STATE = {}\ndef two(of): one(of["a"])\ndef one(of): of.n = 1', 'two(STATE)'],
  ['changes one of many arguments', 'SEEN = []\ndef note(*lists):\n    for one in lists: one.append(1)', 'note([], SEEN)'],
  ['extends an argument', 'SEEN = []\ndef note(items):\n    items += [1]', 'note(SEEN)'],
  ['changes an argument of a method', 'SEEN = []\nclass Lib:\n    def note(self, items): items.append(1)\nlib = Lib()', 'lib.note(SEEN)'],
  ['changes what a function returns', 'STATE = {"n": 0}\ndef get(): return STATE', 'get()["n"] += 1'],
  [
    'changes what a function returns of its argument',
    'STATE = {}\nsame = lambda of: of',
    'def same(of): return of\n    same(STATE)["n"] = 1',
  ],
  ['changes a default', 'def remember(one, seen=[]):\n    seen.append(one)', 'remember(id)'],
  ['changes a created default', 'def remember(one, *, seen=set()):\n    seen.add(one)', 'remember(id)'],
  ['changes a found or new object', 'USERS = {}', 'user = USERS.get(id)\n    if user is None:\n        user = {}\n    user["n"] = 1'],
  ['changes values in a loop', 'USERS = {}', 'for name, user in list(USERS.items()): user["n"] = 1'],
  ['pushes to a heap', 'import heapq\nHEAP = []', 'heapq.heappush(HEAP, id)'],
  ['pushes to a heap by an imported function', 'from heapq import heappush as push\nHEAP = []', 'push(HEAP, id)'],
  ['inserts by bisect', 'import bisect\nSORTED = []', 'bisect.insort(SORTED, id)'],
  ['shuffles', 'import random\nCARDS = [1, 2]', 'random.shuffle(CARDS)'],
  ['changes by an operator', 'import operator\nSTATE = {}', 'operator.setitem(STATE, id, 1)'],
  ['subtracts from a counter', 'from collections import Counter\nC = Counter()', 'C.subtract([id])'],
  ['reorders', 'from collections import OrderedDict\nD = OrderedDict(a=1)', 'D.move_to_end("a")'],
  ['calls a method of a type', 'SEEN = []', 'list.append(SEEN, id)'],
  ['changes by globals()', 'count = 0', 'globals()["count"] = count + 1'],
  [
    'has an instance created by its class',
    'class Store:\n    @classmethod\n    def create(cls): return cls()\n    def add(self): self.n = 1\nstore = Store.create()',
    'store.add()',
  ],
  ['has an instance whose methods name it differently', 'class Store:\n    def add(me): me.n = 1\nstore = Store()', 'store.add()'],
  [
    'has a closure created by a method',
    'class Make:\n    def counter(self):\n        n = 0\n        def inc():\n            nonlocal n\n            n += 1\n        return inc\nmake = Make()\ninc = make.counter()',
    'inc()',
  ],
  ['changes the class of an instance', 'class Store:\n    n = 0\n    def add(self): type(self).n += 1', 'Store().add()'],
  ['has a database in memory', 'import sqlite3\ndb = sqlite3.connect(":memory:")', 'db.execute("…")'],
])('finds that a module %s', async (_, before, body) => {
  expect(await hasState(tool(before, body))).toBe(true);
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
  [
    'passes a table to a function that reads it',
    'UNITS = {"m": 1}\ndef convert(units, one): return units[one] * 2',
    'return convert(UNITS, id)',
  ],
  [
    'passes a table to a function that copies it',
    'DEFAULTS = {"n": 1}\ndef fill(all):\n    all = dict(all)\n    all["n"] = 2\n    return all',
    'return fill(DEFAULTS)',
  ],
  [
    'passes a table beside a changed argument',
    'UNITS = [1]\ndef fill(units, all): all.extend(units)',
    'all = []; fill(UNITS, all); return all',
  ],
  ['passes a copy', 'DEFAULTS = [1]\ndef fill(all): all.append(1)', 'fill(list(DEFAULTS)); fill([*DEFAULTS])'],
  ['counts in an argument', 'FIRST = 1\ndef add(sum, one):\n    sum += one\n    return sum', 'return add(FIRST, 2)'],
  [
    'gets new objects from a function',
    'DEFAULTS = {"n": 1}\ndef create():\n    own = dict(DEFAULTS)\n    return own',
    'own = create(); own["n"] = 2; return own',
  ],
  ['reads what a function returns', 'CONFIG = {"n": 1}\ndef get(): return CONFIG', 'n = get()["n"]; n += 1; return n'],
  ['reads a default', 'def find(one, all=[], *, more={}):\n    return one in all or more.get(one)', 'return find(id)'],
  ['replaces a default', 'def find(one, all=None):\n    all = all or []\n    all.append(one)\n    return all', 'return find(id)'],
  ['reads from a heap', 'import heapq\nHEAP = [1]', 'own = []; heapq.heappush(own, 1); return heapq.nsmallest(1, HEAP)'],
  ['reads elements', 'USERS = [{"n": 1}]', 'return sum(user["n"] for user in sorted(USERS, key=len))'],
  ['changes a response', 'import requests', 'response = requests.get(id); response.encoding = "utf-8"; return response.text'],
  [
    'reads in a class method',
    'class Config:\n    def __init__(self): self.n = 1\n    @classmethod\n    def load(cls): return cls()\nconfig = Config.load()',
    'return config.n',
  ],
  [
    'collects in a function that calls itself',
    'def walk(one, all):\n    all.append(one)\n    for inner in one: walk(inner, all)',
    'all = []; walk(id, all); return all',
  ],
  ['uses a local variable of the same name', 'items = []', 'items = []; items.append(1); return items'],
])('finds no state in a module that %s', async (_, before, body) => {
  expect(await hasState(tool(before, body))).toBe(false);
});

it('reads all files of an extension, and ignores those that are no Python', async () => {
  expect(await hasState(tool('', 'return 1'), 'def broken(:', 'SEEN = []\ndef note(one):\n    SEEN.append(one)\n')).toBe(true);
  expect(await hasState(tool('', 'return 1'), 'def broken(:')).toBe(false);
});

const STORE =
  'SEEN = []\nclass Store:\n    def __init__(self): self.items = []\n    def remember(self, one): self.items.append(one)\n    def get(self): return 1\n';

it.each([
  ['creates an instance of an imported class', 'from .store import Store\nstore = Store()', 'store.remember(id)', STORE],
  ['creates an instance of a class of a module', 'from . import store as lib\nstore = lib.Store()', 'store.remember(id)', STORE],
  ['creates an instance of a class of a plain import', 'import store as lib\nstore = lib.Store()', 'store.remember(id)', STORE],
  [
    'creates an instance of a derived class',
    'from .store import Store as Base\nclass Own(Base): pass\nstore = Own()',
    'store.remember(id)',
    STORE,
  ],
  ['imports all names', 'from .store import *\nstore = Store()', 'store.remember(id)', STORE],
  [
    'passes a list to an imported function',
    'from .lists import remember as note\nSEEN = []',
    'note(SEEN, id)',
    'def remember(items, one): items.append(one)\n',
  ],
  [
    'passes a list to a function of a module',
    'from . import lists\nSEEN = []',
    'lists.remember(SEEN, id)',
    'def remember(items, one): items.append(one)\n',
  ],
  ['changes what an imported function returns', 'from .lists import get', 'get().append(id)', 'SEEN = []\ndef get(): return SEEN\n'],
  ['changes an imported list', 'from store import SEEN', 'SEEN.append(id)', STORE],
])('finds state when the module %s', async (_, before, body, other) => {
  expect(await hasState(tool(before, body), other)).toBe(true);
  expect(await hasState(other, tool(before, body))).toBe(true);
});

it.each([
  ['creates an instance in each call', 'from .store import Store', 'store = Store(); store.remember(id); return store.items', STORE],
  [
    'passes a table to a function that reads it',
    'from .lists import find\nUNITS = [1]',
    'return find(UNITS, id)',
    'def find(items, one): return one in items\n',
  ],
  ['reads an imported list', 'from .store import SEEN', 'return list(SEEN)', 'SEEN = [1]\n'],
  [
    'shuffles by its own function',
    'from .cards import shuffle\nCARDS = [1]',
    'return shuffle(CARDS)',
    'def shuffle(cards): return cards[::-1]\n',
  ],
])('finds no state when the module %s', async (_, before, body, other) => {
  expect(await hasState(tool(before, body), other)).toBe(false);
});
