import { describe, expect, it } from 'vitest';
import { checkSchema } from '../check-schema.ts';
import { faultOf, planOf, schemaOf } from './reading-for-tests.ts';

const text = { type: 'string' };
const number = { type: 'number' };
const closed = (properties: Record<string, unknown>, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
  additionalProperties: false,
});

/** The type of a parameter, the declarations before it, and the expected schema. */
type Row = readonly [type: string, before: string, schema: unknown];

const PLAIN: readonly Row[] = [
  ['string', '', text],
  ['number', '', number],
  ['boolean', '', { type: 'boolean' }],
  ['null', '', { type: 'null' }],
  ['unknown', '', {}],
  ['any', '', {}],
  ['object', '', {}],
  ['{}', '', {}],
  ['Object', '', {}],
  ['String', '', text],
  ['Date', '', { type: 'string', format: 'date-time' }],
  ['(string)', '', text],
];

const NAMESPACES: readonly Row[] = [
  [
    'Shapes.Dot',
    'export namespace Shapes { export interface Dot { x: number; at: Place }\nexport type Place = Name }\ntype Name = string;',
    closed({ x: number, at: text }),
  ],
  [
    'Shapes.Inner.Side',
    "namespace Shapes { export namespace Inner { export enum Side { L = 'l', R = 'r' } } }",
    { type: 'string', enum: ['l', 'r'] },
  ],
  ['Shapes.Side.L', "namespace Shapes { export enum Side { L = 'l', R = 'r' } }", { type: 'string', const: 'l' }],
];

const CHOICES: readonly Row[] = [
  ["'a'", '', { type: 'string', const: 'a' }],
  ['-1', '', { type: 'number', const: -1 }],
  ['`fixed`', '', { type: 'string', const: 'fixed' }],
  ["'a' | 'b'", '', { type: 'string', enum: ['a', 'b'] }],
  ["'a' | 'b' | 'a'", '', { type: 'string', enum: ['a', 'b'] }],
  ["1 | 'a'", '', { enum: [1, 'a'] }],
  ['true | false', '', { type: 'boolean' }],
  ["'a' | null", '', { type: ['string', 'null'], enum: ['a', null] }],
  ['string | null', '', { type: ['string', 'null'] }],
  ['Date | null', '', { type: ['string', 'null'], format: 'date-time' }],
  ['string | undefined', '', text],
  ['string | number', '', { anyOf: [text, number] }],
  ["'a' | string", '', text],
  ["'auto' | number", '', { anyOf: [{ type: 'string', const: 'auto' }, number] }],
  ['string | (number | boolean)', '', { anyOf: [text, number, { type: 'boolean' }] }],
  ['string | unknown', '', {}],
  ['{ a: string } | null', '', { anyOf: [closed({ a: text }), { type: 'null' }] }],
  [
    'Circle | Square',
    "interface Circle { kind: 'circle'; r: number }\ninterface Square { kind: 'square'; a: number; r?: never }",
    {
      anyOf: [
        { title: 'Circle', ...closed({ kind: { type: 'string', const: 'circle' }, r: number }) },
        { title: 'Square', ...closed({ kind: { type: 'string', const: 'square' }, a: number }) },
      ],
    },
  ],
  ['Size', "enum Size { Small = 's', Large = 'l' }", { type: 'string', enum: ['s', 'l'] }],
  ['Level', '/** How loud. */\nenum Level { Low, Middle = 5, High }', { type: 'number', enum: [0, 5, 6], description: 'How loud.' }],
  ['Flag', 'const enum Flag { A = 1 << 0, B = 1 << 1, Both = A }', { type: 'number', enum: [1, 2] }],
  ['P', 'enum P { Read = 1, Write = 2, All = Read | Write, None = ~All & P.Read }', { type: 'number', enum: [1, 2, 3, 0] }],
  ['P', 'enum P { A = 1, B = A + 1, C = P.B * 2, D }', { type: 'number', enum: [1, 2, 4, 5] }],
  ['P', "enum P { A = 'a', B = `${A}-y`, C = P['A'] + '-z' }", { type: 'string', enum: ['a', 'a-y', 'a-z'] }],
  ['Q.C', "const A = 'outside'; enum P { A = 'a' } enum Q { B = P.A, C = A }", { type: 'string', const: 'outside' }],
  [
    'Many',
    `enum Many { ${Array.from({ length: 300 }, (_, index) => `M${index} = '${index}'`).join()} }`,
    { type: 'string', enum: Array.from({ length: 300 }, (_, index) => String(index)) },
  ],
  ['Size.Large', "enum Size { Small = 's', Large = 'l' }", { type: 'string', const: 'l' }],
  ['(typeof UNITS)[number]', "const UNITS = ['c', 'f'] as const;", { type: 'string', enum: ['c', 'f'] }],
  ...[
    "['a', 'b'] as const satisfies readonly string[]",
    "<const>['a', 'b']",
    "(['a', 'b'] as const)",
    "['a', ('b')] as const",
    'OTHER',
    "[FIRST, 'b'] as const",
  ].map((value): Row => [
    '(typeof LIST)[number]',
    `const LIST = ${value};\nconst OTHER = ['a', 'b'] as const, FIRST = 'a';`,
    { type: 'string', enum: ['a', 'b'] },
  ]),
  ["(typeof C)['roles'][number]", "const C = { roles: ['a', 'b'] as const };", { type: 'string', enum: ['a', 'b'] }],
  ["(typeof C)['roles'][number]", "const C = { roles: ['a', 'b'] };", text],
  ["(typeof C)['mode']", "const C = { mode: 'a' as 'a' | 'b', size: 1 };", { type: 'string', enum: ['a', 'b'] }],
  ['typeof LAST', "let LAST = 'a';", text],
  [
    'Mode[]',
    "export const Mode = { Fast: 'fast', Slow: 'slow' } as const;\nexport type Mode = (typeof Mode)[keyof typeof Mode];",
    { type: 'array', items: { type: 'string', enum: ['fast', 'slow'] } },
  ],
  ['Mode', "type Mode = (typeof Mode)[number];\nconst Mode = ['fast', 'slow'] as const;", { type: 'string', enum: ['fast', 'slow'] }],
  [
    '(typeof ALL)[number]',
    "const SOME = ['a'] as const, ALL = [...SOME, ...OTHER, 'c'] as const;\nconst OTHER = ['b'] as const;",
    { type: 'string', enum: ['a', 'b', 'c'] },
  ],
  ['typeof ALL', "const SOME = { a: 1, b: 'x' };\nconst ALL = { ...SOME, a: 'y' };", closed({ a: text, b: text })],
  ['Spot', 'function Spot(x: number): Spot { return { x }; }\ninterface Spot { x: number }', closed({ x: number })],
  ['keyof typeof RATES', 'const RATES = { eur: 1, usd: 1.1 };', { type: 'string', enum: ['eur', 'usd'] }],
  ['typeof LIMIT', 'const LIMIT = 5;', { type: 'number', const: 5 }],
  ['`${A}-${number}`', "type A = 'x' | 'y.z';", { type: 'string', pattern: '^(?:x|y\\.z)--?\\d+(?:\\.\\d+)?$' }],
];

const LIST_OF_TWO = { type: 'array', prefixItems: [text, number], items: false, minItems: 2 };

const LISTS: readonly Row[] = [
  ['string[]', '', { type: 'array', items: text }],
  ['readonly string[]', '', { type: 'array', items: text }],
  ['Array<number>', '', { type: 'array', items: number }],
  ['ReadonlyArray<number>', '', { type: 'array', items: number }],
  ['string[][]', '', { type: 'array', items: { type: 'array', items: text } }],
  ['[number, string]', '', { type: 'array', prefixItems: [number, text], items: false, minItems: 2 }],
  [
    '[x: number, y?: number]',
    '',
    {
      type: 'array',
      prefixItems: [
        { title: 'x', ...number },
        { title: 'y', ...number },
      ],
      items: false,
      minItems: 1,
    },
  ],
  ['[number, string?]', '', { type: 'array', prefixItems: [number, text], items: false, minItems: 1 }],
  ['[string, ...number[]]', '', { type: 'array', prefixItems: [text], items: number, minItems: 1 }],
  ['[]', '', { type: 'array', items: false }],
  ['[...A, boolean]', 'type A = [string, number];', { ...LIST_OF_TWO, prefixItems: [text, number, { type: 'boolean' }], minItems: 3 }],
  ['[...A]', 'type A = [string, number?];', { ...LIST_OF_TWO, minItems: 1 }],
  ['[...A, ...string[]]', 'type A = [string, number];', { ...LIST_OF_TWO, items: text }],
  ['[...[], ...A, ...[]]', 'type A = readonly [string, number];', LIST_OF_TWO],
  ['[number, ...string[], last: string]', '', { type: 'array', prefixItems: [number], items: text, minItems: 2 }],
  ['[...string[], string, string]', '', { type: 'array', items: text, minItems: 2 }],
];

const OBJECTS: readonly Row[] = [
  ['{ a: string; b?: number }', '', closed({ a: text, b: number }, ['a'])],
  ['{ a: string | undefined }', '', closed({ a: text }, [])],
  ["{ readonly 'x-y': string; 1: number }", '', closed({ '1': number, 'x-y': text }, ['x-y', '1'])],
  ['P', 'interface P { a: string }\ninterface P { b: number }', closed({ a: text, b: number })],
  ['Q', 'interface P { a: string; b: string }\ninterface Q extends P { b: number }', closed({ a: text, b: number })],
  ['Q', 'interface P { a: string; b: string }\ninterface Q extends Omit<P, "a"> { c: string }', closed({ b: text, c: text })],
  ['{ [key: string]: number }', '', { type: 'object', additionalProperties: number }],
  ['{ [key: number]: string }', '', { type: 'object', additionalProperties: text, propertyNames: { pattern: '^-?\\d+(?:\\.\\d+)?$' } }],
  [
    '{ [key: `data-${string}`]: number }',
    '',
    { type: 'object', additionalProperties: number, propertyNames: { pattern: '^data-[\\s\\S]*$' } },
  ],
  [
    '{ id: number; [key: `data-${string}`]: string; [key: `on${number}`]: number }',
    '',
    { ...closed({ id: number }), patternProperties: { '^data-[\\s\\S]*$': text, '^on-?\\d+(?:\\.\\d+)?$': number } },
  ],
  [
    '{ [key: string]: number | string; [key: `n-${string}`]: number }',
    '',
    { type: 'object', additionalProperties: { anyOf: [number, text] }, patternProperties: { '^n-[\\s\\S]*$': number } },
  ],
  ['{ a: string; [key: string]: unknown }', '', { ...closed({ a: text }), additionalProperties: true }],
  ['Record<string, number>', '', { type: 'object', additionalProperties: number }],
  ["Record<'a' | 'b', number>", '', closed({ a: number, b: number })],
  ["Partial<Record<'a' | 'b', number>>", '', closed({ a: number, b: number }, [])],
  ['Partial<P>', 'interface P { a: string; b?: number }', closed({ a: text, b: number }, [])],
  ['Required<P>', 'interface P { a: string; b?: number }', closed({ a: text, b: number })],
  ['Readonly<P>', 'interface P { a: string; b?: number }', closed({ a: text, b: number }, ['a'])],
  ["Pick<P, 'a'>", 'interface P { a: string; b?: number }', closed({ a: text })],
  ["Omit<P, 'a'>", 'interface P { a: string; b?: number }', closed({ b: number }, [])],
  ['keyof P', 'interface P { a: string; b?: number }', { type: 'string', enum: ['a', 'b'] }],
  ["P['a']", 'interface P { a: string[]; b?: number }', { type: 'array', items: text }],
  ["P['a'][number]", 'interface P { a: string[]; b?: number }', text],
  ["{ [K in 'a' | 'b']?: K }", '', closed({ a: { type: 'string', const: 'a' }, b: { type: 'string', const: 'b' } }, [])],
  ['{ [K in keyof P]: string }', 'interface P { a: number; b: number }', closed({ a: text, b: text })],
  ['{ [K in keyof P]: string }', 'interface P { a: number; b?: number }', closed({ a: text, b: text }, ['a'])],
  ['{ [K in keyof P]-?: P[K] }', 'interface P { a: number; b?: number }', closed({ a: number, b: number })],
  ['NonNullable<string | null | undefined>', '', text],
  ['A & B', 'interface A { a: string }\ntype B = { b?: number }', closed({ a: text, b: number }, ['a'])],
  [
    'A & (B | C)',
    'type A = { a: string }; type B = { b: string }; type C = { c: string }',
    { anyOf: [closed({ a: text, b: text }), closed({ a: text, c: text })] },
  ],
  ["string & { __brand: 'id' }", '', text],
  ['string & { readonly __brand: unique symbol }', '', text],
  ["string & { [b]: 'Id' }", 'declare const b: unique symbol;', text],
  ["Brand<number, 'Id'> | null", 'declare const b: unique symbol; type Brand<T, N> = T & { [b]: N };', { type: ['number', 'null'] }],
  ["('a' | 1) & Mark", 'declare const b: unique symbol; interface Mark { [b]: 1 }', { enum: ['a', 1] }],
  ['Box<string>', 'type Box<T> = { value: T }', closed({ value: text })],
  ['Box', 'type Box<T = number> = { value: T }', closed({ value: number })],
  [
    'Page<Box<string>>',
    'type Box<T> = { value: T }; interface Page<T> { items: T[] }',
    closed({ items: { type: 'array', items: closed({ value: text }) } }),
  ],
];

const SHAPES = `type Shape = { kind: 'circle'; r: number } | { kind: 'square'; side: number } | { kind: 'line' };
interface C { kind: 'c'; r: number } interface S { kind: 's'; side: number; r?: never }
interface Loud { on: boolean; kind: 'x' | 'y' } type L = { kind: 'x' } | { kind: 'y' } | { kind: 'z' };
interface Tree { kids?: Tree[]; name: string }`;
const oneOf = (value: string) => ({ type: 'string', const: value });
const LINE = closed({ kind: oneOf('line') });

const SIFTED: readonly Row[] = [
  ["Exclude<'a' | 'b' | 'c', 'a'>", '', { type: 'string', enum: ['b', 'c'] }],
  ["Extract<'a' | 'b' | 1, string>", '', { type: 'string', enum: ['a', 'b'] }],
  ["Extract<Shape, { kind: 'circle' }>", SHAPES, closed({ kind: oneOf('circle'), r: number })],
  ["Extract<Shape, { kind: 'circle' | 'line' }>", SHAPES, { anyOf: [closed({ kind: oneOf('circle'), r: number }), LINE] }],
  ["Exclude<Shape, { kind: 'circle' }>", SHAPES, { anyOf: [closed({ kind: oneOf('square'), side: number }), LINE] }],
  ['Exclude<Shape, { r: number } | { side: unknown }>', SHAPES, LINE],
  ['Extract<Shape, { r: string }>', SHAPES, undefined],
  ['Exclude<C | S, S>', SHAPES, { title: 'C', ...closed({ kind: oneOf('c'), r: number }) }],
  ['Exclude<C | S, C>', SHAPES, { title: 'S', ...closed({ kind: oneOf('s'), side: number }) }],
  ['Exclude<Loud | C, L>', SHAPES, { title: 'C', ...closed({ kind: oneOf('c'), r: number }) }],
  ['Exclude<C | string | string[], object>', SHAPES, text],
  ['Extract<C | string | string[] | null, readonly string[] | null>', SHAPES, { type: ['array', 'null'], items: text }],
  ['Exclude<string | Date, string>', '', { type: 'string', format: 'date-time' }],
  ['Exclude<boolean | string, string>', '', { type: 'boolean' }],
  ['Exclude<boolean, true>', '', { type: 'boolean', const: false }],
  ['Exclude<string | null | 1, string | null>', '', { type: 'number', const: 1 }],
  ["Extract<'data-a' | 'b' | number, `data-${string}`>", '', oneOf('data-a')],
  [
    'Exclude<C | { a?: string }, { b?: number }>',
    SHAPES,
    { anyOf: [{ title: 'C', ...closed({ kind: oneOf('c'), r: number }) }, closed({ a: text }, [])] },
  ],
  [
    'Exclude<Tree | string, Tree>',
    SHAPES,
    { ...text, $defs: { Tree: closed({ kids: { type: 'array', items: { $ref: '#/$defs/Tree' } }, name: text }, ['name']) } },
  ],
];

const RECURSIVE: readonly Row[] = [
  [
    'Tree',
    '/** A tree. */\ninterface Tree { name: string; children?: Tree[] }',
    {
      $ref: '#/$defs/Tree',
      $defs: {
        Tree: { ...closed({ name: text, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } }, ['name']), description: 'A tree.' },
      },
    },
  ],
  [
    'A',
    'interface A { b?: B }\ninterface B { a: A }',
    { $ref: '#/$defs/A', $defs: { A: closed({ b: closed({ a: { $ref: '#/$defs/A' } }) }, []) } },
  ],
  [
    'Link<string>',
    'interface Link<T> { value: T; next?: Link<T> }',
    { $ref: '#/$defs/Link', $defs: { Link: closed({ value: text, next: { $ref: '#/$defs/Link' } }, ['value']) } },
  ],
  [
    'Json',
    'type Json = string | null | Json[] | { [key: string]: Json }',
    {
      $ref: '#/$defs/Json',
      $defs: {
        Json: {
          anyOf: [
            text,
            { type: 'array', items: { $ref: '#/$defs/Json' } },
            { type: 'object', additionalProperties: { $ref: '#/$defs/Json' } },
            { type: 'null' },
          ],
        },
      },
    },
  ],
];

describe.each([
  ['plain types', PLAIN],
  ['namespaces', NAMESPACES],
  ['choices', CHOICES],
  ['lists', LISTS],
  ['objects', OBJECTS],
  ['filtered members of a union', SIFTED],
  ['recursive types', RECURSIVE],
])('%s', (_, rows) => {
  it.each(rows)('%s', async (type, before, schema) => {
    expect(await schemaOf(type, before)).toEqual(schema);
    const { hints } = await planOf(`${before}\nexport function run(x: ${type}) {}`);
    expect(checkSchema(hints?.parameters ?? {})).toBeNull();
  });
});

describe('types of other files', () => {
  const files = {
    'types.ts':
      "import type { Place } from './deep/place.ts';\nexport interface Trip extends Place { days: number }\nexport default interface Home { street: string }",
    'deep/place.ts': "export * from './names.ts';\nexport { type Town as City } from './names.ts';\nexport type Place = { city: string };",
    'deep/names.ts': "export type Town = 'Oslo' | 'Rome'; export enum Mood { Good = 'good' }",
  };
  it.each<readonly [type: string, before: string, schema: unknown]>([
    ['Trip', "import type { Trip } from './types.ts';", closed({ city: text, days: number })],
    ['T', "import { type Trip as T } from './types.ts';", closed({ city: text, days: number })],
    ['Home', "import type Home from './types.ts';", closed({ street: text })],
    ['City', "import type { City } from './deep/place.ts';", { type: 'string', enum: ['Oslo', 'Rome'] }],
    ['Mood', "import { Mood } from './deep/place.ts';", { type: 'string', const: 'good' }],
    ['places.Town', "import type * as places from './deep/place.ts';", { type: 'string', enum: ['Oslo', 'Rome'] }],
    ["import('./types.ts').Trip", '', closed({ city: text, days: number })],
  ])('%s by %s', async (type, before, schema) => {
    expect(await schemaOf(type, before, files)).toEqual(schema);
  });
});

describe('an unsupported type', () => {
  it.each<readonly [type: string, says: RegExp, before: string | null]>([
    ['() => void', /`\(\) => void` is a function/, null],
    ['new () => Date', /is a function/, null],
    ['symbol', /is a symbol/, null],
    ['bigint', /is a bigint/, null],
    ['10n', /`10n` is a value that JSON does not support/, null],
    ['Map<string, number>', /is a Map.*/, null],
    ['Set<string>', /is a Set/, null],
    ['Promise<string>', /is a Promise/, null],
    ['Uint8Array', /is a Uint8Array/, null],
    ['Socket', /comes from the package "node:net"/, "import type { Socket } from 'node:net';"],
    ['net.Socket', /comes from the package "node:net"/, "import * as net from 'node:net';"],
    ["import('node:net').Socket", /comes from the package "node:net"/, null],
    ['Point', /is a class/, 'class Point {}'],
    ['LIMIT', /is a value, not a type/, 'const LIMIT = 1;'],
    ['Nowhere', /is not a known type/, null],
    ['{ a: { b(): void } }', /`b\(\): void` is a function/, null],
    ['string[] extends unknown ? 1 : 2', /only a compiler can decide/, null],
    ['Extract<{ a: string } | { b: string }, Record<string, string>>', /only a compiler can decide/, null],
    ['Extract<{ a: string } | { b: string }, { a: string | undefined }>', /only a compiler can decide/, null],
    ['Exclude<[string] | [number], [string | number]>', /only a compiler can decide/, null],
    ['[string, ...number[], boolean]', /no JSON Schema can express/, null],
    ['[...string]', /no JSON Schema can express/, null],
    ['{ a: string } & { [b]: 1 }', /only a compiler can evaluate/, 'declare const b: unique symbol;'],
    ['string & Nowhere', /is not a known type/, null],
    ['typeof now', /is not of a constant/, 'const now = Date.now();'],
    ['Random', /known only at run time/, 'enum Random { A = Math.random() }'],
    ['E', /known only at run time/, 'enum E { A = F.A } enum F { A = E.A }'],
    ["P['b']", /a missing property/, 'interface P { a: string }'],
    ['[ToolContext, string]', /context of the call/, "import type { ToolContext } from 'switchboard';"],
  ])('%s', async (type, says, given) => {
    const before = given ?? '';
    const { failure } = await faultOf(`${before}\nexport function run(\n  first: string,\n  x: ${type},\n) {}`);
    expect(failure).toMatchObject({ code: 'type_unsupported', line: 4, file: '/x/tool.ts' });
    expect(failure.message).toMatch(says);
    expect(failure.message).toMatch(/The parameter "x"/);
    expect(failure.hint.length).toBeGreaterThan(15);
  });

  it.each<readonly [type: string, says: RegExp, before: string]>([
    ['Grow<string>', /grows endlessly/, 'type Grow<T> = { next: Grow<T[]> };'],
    ['N', /reads a part of N within N itself/, 'interface N { change?: Partial<N> }'],
    ['Wide', /too large for a form/, wide()],
  ])('%s', async (type, says, before) => {
    const { failure } = await faultOf(`${before}\nexport function run(x: ${type}) {}`);
    expect(failure.code).toBe('type_unsupported');
    expect(failure.message).toMatch(says);
  });

  it('is located in its own file', async () => {
    const { failure } = await faultOf("import type { Q } from './q.ts';\nexport function run(q: Q) {}", {
      'q.ts': 'export type Q = {\n  at: symbol\n}',
    });
    expect(failure).toMatchObject({ file: '/x/q.ts', line: 2, column: 7 });
  });

  it('in a missing file names the import and the expected paths', async () => {
    const { failure, missing } = await faultOf("import type { Q } from './q.ts';\nexport function run(q: Q) {}");
    expect(failure).toMatchObject({ code: 'import_unresolved', file: '/x/tool.ts', line: 1, column: 24 });
    expect(missing).toEqual(['/x/q.ts']);
  });

  it('in a file that is not valid code is a syntax error there', async () => {
    const { failure } = await faultOf("import type { Q } from './q.ts';\nexport function run(q: Q) {}", { 'q.ts': 'export type Q = {\n' });
    expect(failure).toMatchObject({ code: 'syntax_error', file: '/x/q.ts' });
  });
});

/** Twelve steps, each twice as large as the previous one. */
function wide(): string {
  const steps = Array.from({ length: 12 }, (_, step) => `interface W${step + 1} { a: W${step}; b: W${step} }`);
  return `interface W0 { a: string }\n${steps.join('\n')}\ntype Wide = W12;`;
}
