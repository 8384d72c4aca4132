import { expect, it } from 'vitest';
import { hasModuleState } from './module-state.ts';

const inTool = (before: string, body: string): string => `${before}
export const TOOL = { name: 'a', async execute(args) { ${body} } };
`;
const found = (code: string): boolean => hasModuleState('program.mjs', code);

it.each([
  ['counts in a variable', 'let count = 0;', 'count += 1; return count;'],
  ['counts by ++', 'var count = 0;', 'return ++count;'],
  ['creates a client at the first use', 'let client;', 'client ??= await open();'],
  ['assigns by a pattern', 'let a, b;', '[a, { b }] = args;'],
  ['remembers in a map', 'const seen = new Map();', 'seen.set(args.id, true);'],
  ['remembers in a list, optionally', 'const all = [];', 'all?.push(args);'],
  ['changes a field', 'const state = {};', 'state.last = args;'],
  ['changes a computed field of a field', 'const state = { of: {} };', 'state.of[args.id] ??= 1;'],
  ['deletes a field', 'const state = {};', 'delete state[args.id];'],
  ['changes an object by Object.assign', 'const state = {};', 'Object.assign(state, args);'],
  ['changes behind an alias', 'const cache = new Map();', 'const own = cache; own.set(1, 2);'],
  ['changes a part of a collection', 'const users = new Map();', 'const user = users.get(args.id); user.open = true;'],
  ['changes a destructured field', 'const store = { items: [] };', 'const { items } = store; items.push(1);'],
  ['changes in a nested function', 'const sums = [];', 'args.list.forEach((one) => sums.push(one));'],
  ['changes in a helper function', 'let last; function note(value) { last = value; }', 'note(args);'],
  ['has a method that changes its object', 'const counter = { n: 0, inc() { this.n += 1; } };', 'counter.inc();'],
  ['has an instance that changes', 'class Store { #n = 0; add() { this.#n += 1; } }\nconst store = new Store();', 'store.add();'],
  ['has an instance of a derived class', 'class A { add() { this.n = 1; } } class B extends A {}\nconst store = new B();', 'store.add();'],
  ['changes a static field', 'class Store { static n = 0; static add() { this.n += 1; } }', 'Store.add();'],
  ['has a closure that counts', 'function counter() { let n = 0; return () => (n += 1); }\nconst next = counter();', 'return next();'],
  [
    'has a closure created by a nested function call',
    'const one = () => { let n; return () => n++; }; const two = () => one();\nconst next = two();',
    '',
  ],
  ['has a closure of a function called at once', 'const next = (() => { let n = 0; return () => ++n; })();', 'return next();'],
  ['takes values from a generator', 'const ids = make();', 'return ids.next().value;'],
  ['changes a global', '', 'globalThis.last = args;'],
  ['changes an environment variable', '', 'process.env.LAST = args.id;'],
  [
    'changes a CommonJS module',
    'var require_a = __commonJS({ "a.js"(exports, module) { let n = 0; exports.inc = () => n++; } });',
    'require_a().inc();',
  ],
])('finds that a module %s', (_, before, body) => {
  expect(found(inTool(before, body))).toBe(true);
});

it.each([
  ['computes', '', 'return args.left + args.right;'],
  ['counts in a call', '', 'let n = 0; for (const one of args.list) n += one; args.list.forEach((one) => { n += one; }); return n;'],
  ['collects in a call', '', 'const all = []; args.list.forEach((one) => all.push(one)); return all;'],
  ['reads a table', 'const UNITS = new Map([["m", 1]]);', 'return UNITS.get(args.unit);'],
  ['copies a list', 'const DEFAULTS = [1];', 'const all = [...DEFAULTS]; all.push(2); const some = DEFAULTS.slice(); some.push(3);'],
  ['splits a text', 'const TEXT = "a b";', 'const words = TEXT.split(" "); words.sort();'],
  ['fills a table at import', 'const TABLE = {}; for (const one of [1, 2]) TABLE[one] = one * 2;', 'return TABLE[args.one];'],
  ['has an enumeration', 'var Color = ((Color2) => { Color2["Red"] = "red"; return Color2; })(Color || {});', 'return Color.Red;'],
  ['uses a variable of the same name', 'const all = [];', 'const all = []; all.push(1); return all;'],
  ['creates an instance in each call', 'class Store { add() { this.n = 1; } }', 'const store = new Store(); store.add();'],
  [
    'has an instance that only reads',
    'class Reader { constructor() { this.n = 1; } get() { return this.n; } }\nconst reader = new Reader();',
    'return reader.get();',
  ],
  ['calls packages', 'import fs from "node:fs/promises"; import { set } from "values";', 'set(args, 1); await fs.rm(args.file);'],
  [
    'sets a header of its own request',
    '',
    'const headers = new Headers(); headers.set("a", "b"); const url = new URL("http://a"); url.searchParams.append("a", "b");',
  ],
  [
    'is a CommonJS module without state',
    'var __commonJS = (cb, mod) => function __require() { return mod || (mod = { exports: {} }), mod.exports; };\nvar require_a = __commonJS({ "a.js"(exports, module) { exports.run = () => 1; module.exports.b = 2; } });\nvar a = require_a();',
    'return a.run();',
  ],
])('finds no state in a module that %s', (_, before, body) => {
  expect(found(inTool(before, body))).toBe(false);
});

it('assumes state in a text that is too large to parse', () => {
  expect(found(`export const TEXT = '${'x'.repeat(600_000)}';`)).toBe(true);
});
