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
  ['changes an argument of a helper function', 'const seen = []; function remember(list, one) { list.push(one); }', 'remember(seen, 1);'],
  ['changes a field of an argument', 'const state = { n: 0 }; const bump = (of) => { of.n += 1; };', 'bump(state);'],
  [
    'changes an argument of an argument',
    'const state = { n: 0 }; const two = ({ of }) => one(of.inner); const one = (of) => { const own = of; own.n += 1; };',
    'two({ of: state }); two(state);',
  ],
  [
    'changes one of many arguments',
    'const a = new Set(); function note(one, ...sets) { for (const set of sets) set.add(one); }',
    'note(1, a);',
  ],
  ['changes an argument of a method', 'const seen = []; const lib = { remember(list) { list.push(1); } };', 'lib.remember(seen);'],
  [
    'changes an argument of a constructor',
    'const seen = []; class Note { constructor(list) { list.push(this); } }',
    'return new Note(seen);',
  ],
  ['changes what a function returns', 'const state = { n: 0 }; const get = () => state;', 'get().n += 1;'],
  [
    'changes what an asynchronous function returns',
    'const state = {}; export async function get(key) { if (!key) return null; const found = state[key]; return found; }',
    'const one = await get(args.id); one.n += 1;',
  ],
  ['changes what a function returns of its argument', 'const state = {}; const same = (of) => of;', 'same(state).n = 1;'],
  ['changes elements in a loop', 'const users = [{}];', 'for (const user of users) user.open = true;'],
  ['changes elements in a callback', 'const users = [{}];', 'users.forEach((user) => { user.open = true; });'],
  ['changes values of an object', 'const users = { a: {} };', 'for (const user of Object.values(users)) user.open = true;'],
  ['changes an object or another', 'const state = {};', 'const own = args.own ?? state; own.n = 1;'],
  ['adds a listener', 'import { EventEmitter } from "node:events"; const bus = new EventEmitter();', 'bus.on("x", () => {});'],
  ['writes to a buffer', 'const buf = Buffer.alloc(4);', 'buf.writeUInt32LE(1, 0);'],
  ['writes text to a buffer', 'const buf = Buffer.alloc(4);', 'buf.write("a");'],
  ['copies to a typed array', 'const bytes = new Uint8Array(4);', 'Buffer.from("a").copy(bytes);'],
  ['sets bytes of a view', 'const view = new DataView(new ArrayBuffer(4));', 'view.setUint8(0, 1);'],
  ['changes an atomic value', 'const view = new Uint32Array(1);', 'Atomics.add(view, 0, 1);'],
  ['changes a date', 'const last = new Date(0);', 'last.setUTCFullYear(2000);'],
  ['adds to a map at the first use', 'const counts = new Map();', 'counts.getOrInsert(args.id, 0);'],
  [
    'changes a value added to a map',
    'const counts = new Map();',
    'const one = counts.getOrInsertComputed(args.id, () => ({ n: 0 })); one.n += 1;',
  ],
  ['calls a method with another object', 'const sums = [];', 'Array.prototype.push.call(sums, 1);'],
  ['passes a bound method', 'const sums = [];', '[1, 2].forEach(sums.push.bind(sums));'],
  [
    'has a closure created by a method',
    'const factory = { make() { let n = 0; return () => ++n; } };\nconst next = factory.make();',
    'return next();',
  ],
  [
    'has a closure created by a method of an instance',
    'class Factory { make() { let n = 0; return () => ++n; } }\nconst factory = new Factory(); const next = factory.make();',
    'return next();',
  ],
  [
    'has an instance created by its class',
    'class Store { static create() { return new Store(); } add() { this.n = 1; } }\nconst store = Store.create();',
    'store.add();',
  ],
  [
    'has an instance of a class behind an alias',
    'let _Store = class { add() { this.n = 1; } }; let Store = _Store;\nconst store = new Store();',
    'store.add();',
  ],
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
    'passes a table to a function that reads it',
    'const UNITS = { m: 1 }; const convert = (units, one) => units[one] * 2;',
    'return convert(UNITS, args.unit);',
  ],
  [
    'passes a table to a function that copies it',
    'const DEFAULTS = { n: 1 }; function fill(all, more) { all = { ...all }; all.n = more; return all; }',
    'return fill(DEFAULTS, 2);',
  ],
  [
    'passes a table beside a changed argument',
    'const UNITS = [1]; function fill(units, all) { all.push(...units); }',
    'const all = []; fill(UNITS, all); return all;',
  ],
  [
    'passes a copy',
    'const DEFAULTS = { list: [] }; const fill = (all) => { all.n = 1; };',
    'fill({ ...DEFAULTS }); fill(structuredClone(DEFAULTS));',
  ],
  ['passes a text', 'const NAME = "a"; function trim(name) { name = name.trim(); return name; }', 'return trim(NAME);'],
  [
    'gets new objects from a function',
    'const DEFAULTS = { n: 1 }; const create = () => { const own = { ...DEFAULTS }; return own; };',
    'const own = create(); own.n = 2; return own;',
  ],
  ['reads what a function returns', 'const config = { n: 1 }; const get = () => config;', 'let { n } = get(); n += 1; return n;'],
  ['collects arguments', 'const ONE = [1]; const join = (...all) => { all.push(2); return all; };', 'return join(ONE);'],
  [
    'listens to its own emitter',
    'import { EventEmitter } from "node:events";',
    'const bus = new EventEmitter(); bus.on("x", () => {}); bus.emit("x");',
  ],
  ['prints', 'import { log } from "node:console";', 'process.stdout.write("a"); process.once("exit", log); log("a");'],
  ['reads bytes', 'const bytes = Buffer.from("a"); const write = (of) => of.readUInt8(0);', 'return write(bytes) + bytes.toString("hex");'],
  [
    'reads elements',
    'const UNITS = [{ n: 1 }];',
    'let sum = 0; for (const one of UNITS) sum += one.n; return UNITS.map(({ n }) => n * sum);',
  ],
  ['sorts a copy', 'const UNITS = [2, 1];', 'return [...UNITS].sort().concat(UNITS.toSorted(), UNITS.filter(Boolean).sort());'],
  [
    'calls a function that changes its own argument',
    'const visit = (one, all) => { all.push(one); one.list?.forEach((inner) => visit(inner, all)); };',
    'const all = []; visit(args, all); return all;',
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
