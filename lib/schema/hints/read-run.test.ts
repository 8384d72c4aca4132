import { describe, expect, it } from 'vitest';
import { faultOf, planOf } from './reading-for-tests.ts';

const parametersOf = async (entry: string, entryName?: string) => (await planOf(entry, {}, entryName)).hints?.parameters;

describe('the location of run', () => {
  it.each([
    ['a function', 'export function run(city: string) {}'],
    ['an async function', 'export async function run(city: string) {}'],
    ['an arrow', 'export const run = async (city: string) => city;'],
    ['a function expression', 'export const run = function (city: string) {};'],
    ['a default export that is also exported by name', 'export default function run(city: string) {}\nexport { run };'],
    ['another name', 'async function main(city: string) {}\nexport { main as run };'],
    ['a constant that refers to another function', 'const main = (city: string) => city;\nexport const run = main;'],
    ['satisfies', 'export const run = ((city: string) => city) satisfies unknown;'],
    ['overloads', 'export function run(city: string): void;\nexport function run(city: string) {}'],
    ['a declared type', 'type Run = (city: string) => string;\nexport const run: Run = (city) => city;'],
    ['an interface with a call signature', 'interface Run { (city: string): string }\nexport const run: Run = (city) => city;'],
    ['`satisfies` with the types', 'type Run = (city: string) => string;\nexport const run = ((city) => city) satisfies Run;'],
    ['the result of a call, with a declared type', 'type Run = (city: string) => string;\nexport const run: Run = wrap((c) => c);'],
    ['a generic declared type', 'type Run<T> = (city: T) => T;\nexport const run: Run<string> = (city) => city;'],
    [
      'a generic type that names another, with a default and a type parameter of its own',
      'type Fn<In, Out = In> = <X extends In>(city: X) => Out;\ntype Run<In> = Fn<In>;\nexport const run: Run<string> = (city) => city;',
    ],
    ['a generic interface', 'interface Run<T> { (city: T): T }\nexport const run: Run<string> = (city) => city;'],
    ['a method of an object', 'const tools = { search(city: string) {} };\nexport const run = tools.search;'],
    ['a static method', 'class Tools { static search(city: string) {} }\nexport const run = Tools.search;'],
    [
      'a bound method of an instance',
      'class Tools { #x = 1; async search(city: string) { return this.#x; } }\nconst tools = new Tools();\nexport const run = tools.search.bind(tools);',
    ],
    [
      'a bound function in a field',
      'class Tools { search = async (city: string) => city; }\nconst tools = new Tools();\nexport const run = tools.search.bind(tools);',
    ],
    ['the type of another function', 'function find(city: string) {}\nexport const run: typeof find = (city) => find(city);'],
    ['the result of a call, cast to a type', 'export const run = wrap((c) => c) as (city: string) => string;'],
    ['a `this` parameter', 'export function run(this: void, city: string) {}'],
  ])('%s', async (_, entry) => {
    expect((await parametersOf(entry))?.['properties']).toEqual({ city: { type: 'string' } });
  });

  it.each([
    ["export { run } from './impl.ts';"],
    ["export * from './impl.ts';"],
    ["import { run } from './impl.ts';\nexport { run };"],
    ["import go from './default.ts';\nexport const run = go;"],
    ["export { default as run } from './default.ts';"],
    ["import { run as go } from './impl.ts';\nexport const run = go;"],
  ])('another file: %s', async (entry) => {
    const { hints } = await planOf(entry, {
      'impl.ts': '/** Does it. */\nexport function run(city: string) {}',
      'default.ts': '/** Does it. */\nexport default (city: string) => city;',
    });
    expect(hints).toMatchObject({ description: 'Does it.', parameters: { properties: { city: { type: 'string' } } } });
  });

  it('reads a generic declared type of another file in its own scope', async () => {
    const { hints } = await planOf(
      "import type { Handler } from './handler.ts';\ninterface Args { city: string }\nexport const run: Handler<Args> = async ({ city, days = 2 }) => city;",
      { 'handler.ts': 'interface Args { days: number }\nexport type Handler<T> = (args: T & Args, ctx: ToolContext) => Promise<unknown>;' },
    );
    expect(hints?.parameters).toMatchObject({
      properties: { city: { type: 'string' }, days: { type: 'number', default: 2 } },
      required: ['city'],
    });
  });

  it.each([
    'exports.run = async function (city) {};',
    'module.exports = { run(city) {} };',
    'function run(city) {}\nmodule.exports = { run };',
  ])('CommonJS: %s', async (text) => {
    expect((await parametersOf(`/** @param {string} city */\n${text}`, 'tool.js'))?.['properties']).toHaveProperty('city');
  });

  it('passes all arguments as one object when the source does not show the function', async () => {
    expect(await planOf('export const run = wrap((city: string) => city);')).toEqual({
      name: 'tool',
      hints: null,
      arguments: [{ from: 'object', names: null }, { from: 'context' }],
      dates: [],
    });
  });
});

describe('the description of run', () => {
  it.each([
    ['the first overload', '/** Does it. */\nexport function run(x: string): void;\nexport function run(x: any) {}'],
    [
      'the second overload',
      'export function run(x: 1): void;\n/** Does it. */\nexport function run(x: 2): void;\nexport function run(x: any) {}',
    ],
    ['the result of a call', '/** Does it. */\nexport const run = wrap((x: string) => x);'],
  ])('%s', async (_, entry) => {
    expect((await planOf(entry)).hints?.description).toBe('Does it.');
  });
});

describe('parameters', () => {
  it('keep their order, and may have defaults, be optional or be a rest parameter', async () => {
    const plan = await planOf('export function run(city: string, days = 3, unit?: "c" | "f", ...tags: string[]) {}');
    expect(plan.hints?.parameters).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'number', default: 3 },
        unit: { type: 'string', enum: ['c', 'f'] },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['city'],
      additionalProperties: false,
    });
    expect(plan.arguments).toEqual([
      { from: 'parameter', name: 'city' },
      { from: 'parameter', name: 'days' },
      { from: 'parameter', name: 'unit' },
      { from: 'rest', name: 'tags' },
    ]);
  });

  it.each<readonly [string, unknown, unknown]>([
    ["'a'", { type: 'string' }, 'a'],
    ['-1.5', { type: 'number' }, -1.5],
    ['true', { type: 'boolean' }, true],
    ['[1, 2]', { type: 'array', items: { type: 'number' } }, [1, 2]],
    [
      "{ a: 1, b: ['x'] }",
      {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'array', items: { type: 'string' } } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
      { a: 1, b: ['x'] },
    ],
    ['{}', { type: 'object', additionalProperties: true }, {}],
    ['LIMIT', { type: 'number' }, 10],
    ["['x', ...NAMES]", { type: 'array', items: { type: 'string' } }, ['x', 'y']],
    [
      '{ ...BASE, a: 2 }',
      { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'], additionalProperties: false },
      { a: 2, b: 1 },
    ],
    ['`to ${LIMIT}` + 1', { type: 'string' }, 'to 101'],
    ['Size.Large', { type: 'string', enum: ['l', 's'] }, 'l'],
  ])('the default %s sets the type', async (text, schema, value) => {
    const parameters = await parametersOf(
      `const LIMIT = 10, NAMES = ['y'], BASE = { a: 1, b: 1 }; enum Size { Large = 'l', Small = 's' }\nexport function run(x = ${text}) {}`,
    );
    expect(parameters?.['properties']).toEqual({ x: { ...(typeof schema === 'object' ? schema : {}), default: value } });
  });

  it('a default that is not JSON only makes the parameter optional', async () => {
    const parameters = await parametersOf('export function run(at: Date = new Date(), root: string = process.cwd(), re = /x/) {}');
    expect(parameters).toMatchObject({ properties: { at: { type: 'string', format: 'date-time' }, root: { type: 'string' }, re: {} } });
    expect(parameters?.['required']).toBeUndefined();
    expect(JSON.stringify(parameters)).not.toContain('default');
  });

  it.each([
    ['[first: number, second?: string]', true],
    ['[number] | [string, string]', true],
    ['Pair', true],
    ['[number?]', false],
    ['[number] | []', false],
    ['[...number[]]', false],
  ])('a rest parameter of type %s is required: %s', async (type, isRequired) => {
    const parameters = await parametersOf(`type Pair = [number, number];\nexport function run(...xs: ${type}) {}`);
    expect(parameters?.['required']).toEqual(isRequired ? ['xs'] : undefined);
  });

  it('a single destructured object is all parameters', async () => {
    const plan = await planOf('interface Args { a: string; b?: number; c?: string }\nexport function run({ a, b: count = 2 }: Args) {}');
    expect(plan.hints?.parameters).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number', default: 2 }, c: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    });
    expect(plan.arguments).toEqual([{ from: 'object', names: null }]);
  });

  it.each([
    ["run({ a, b }: O = { a: 1, b: 'x' })", 'tool.ts'],
    ["run({ a, b }: O = ({ a: 1, b: 'x' }) satisfies O)", 'tool.ts'],
    ["run({ a, b = 'x' }: O = { a: 1, b: 'y' })", 'tool.ts'],
    ['run({ a }: O = DEFAULTS)', 'tool.ts'],
    ["run(a_b: number, { a, b }: O = { a: 1, b: 'x' })", 'tool.ts'],
    ["run({ a, b } = { a: 1, b: 'x' })", 'tool.ts'],
    ["run({ a, b } = { a: 1, b: 'x' })", 'tool.js'],
  ])('a destructured object has the defaults of its own default: %s', async (written, entryName) => {
    const types = entryName.endsWith('.ts') ? "import { DEFAULTS } from './defaults.ts';\ninterface O { a: number; b: string }\n" : '';
    const { hints } = await planOf(
      `${types}export function ${written} {}`,
      { 'defaults.ts': "export const DEFAULTS = { a: 1, b: 'x' };" },
      entryName,
    );
    expect(hints?.parameters['properties']).toMatchObject({ a: { type: 'number', default: 1 }, b: { type: 'string', default: 'x' } });
    expect(hints?.parameters['required'] ?? []).toEqual(written.includes('a_b') ? ['a_b'] : []);
    expect(hints?.warnings).toEqual([]);
  });

  it('a property without a constant in that default stays required', async () => {
    const parameters = await parametersOf(
      'interface O { a: number; at: Date; c: string }\nexport function run({ a, at, c }: O = { ...rest, a: 1, at: new Date() }) {}',
    );
    expect(parameters?.['required']).toEqual(['at', 'c']);
  });

  it('a destructured object beside other parameters has its own properties', async () => {
    const plan = await planOf('export function run(id: string, { dry = false }: { dry?: boolean } = {}) {}');
    expect(plan.hints?.parameters).toMatchObject({
      properties: { id: { type: 'string' }, dry: { type: 'boolean', default: false } },
      required: ['id'],
    });
    expect(plan.arguments).toEqual([
      { from: 'parameter', name: 'id' },
      { from: 'object', names: ['dry'] },
    ]);
  });

  it('without a type accept any JSON, with a warning and a fix', async () => {
    const { hints } = await planOf('export function run(a, ctx) {}');
    expect(hints?.parameters['properties']).toEqual({ a: {}, ctx: {} });
    expect(hints?.warnings).toEqual([
      'The parameter "a" has no type, so it accepts any JSON; write `a: string` (or what it is).',
      'The parameter "ctx" has no type, so it accepts any JSON; write `ctx: string` (or what it is). For the context of the call, type it `ToolContext`.',
    ]);
  });

  it('warn about a single object parameter, and suggest destructuring', async () => {
    const { hints } = await planOf('export function run(args: { city: string; days: number }) {}');
    expect(hints?.warnings).toEqual([
      '`run` takes one object called "args", so a call must pass {"args": {…}}. Write `run({ city, days }: …)` to make its properties the parameters.',
    ]);
  });

  it('a type parameter has the type of its constraint', async () => {
    const parameters = await parametersOf("export function run<T extends 'a' | 'b'>(x: T, y: T[]) {}");
    expect(parameters?.['properties']).toEqual({
      x: { type: 'string', enum: ['a', 'b'] },
      y: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    });
  });

  it('of type Date are found at any depth', async () => {
    const { dates } = await planOf(
      'interface S { at: Date; kids?: S[] }\nexport function run(from: Date, list: Date[], by: Record<string, Date | null>, s: S) {}',
    );
    expect(dates).toEqual(['/properties/from', '/properties/list/items', '/properties/by/additionalProperties', '/$defs/S/properties/at']);
  });
});

describe('the context', () => {
  it.each([
    "import type { ToolContext } from 'switchboard';\nexport function run(city: string, ctx: ToolContext) {}",
    "import { type ToolContext as C } from 'switchboard';\nexport function run(city: string, ctx?: C) {}",
    "import type * as switchboard from 'switchboard';\nexport function run(city: string, ctx: switchboard.ToolContext) {}",
    "export function run(city: string, ctx: import('switchboard').ToolContext) {}",
    "import type { ToolContext } from 'switchboard';\ntype Run = (city: string, ctx: ToolContext) => void;\nexport const run: Run = (city, ctx) => {};",
  ])('%s', async (entry) => {
    const plan = await planOf(entry);
    expect(plan.arguments).toEqual([{ from: 'parameter', name: 'city' }, { from: 'context' }]);
    expect(plan.hints?.parameters['required']).toEqual(['city']);
  });

  it.each([
    'ctx?: ToolContext | undefined',
    'ctx: ToolContext | undefined',
    'ctx: null | (ToolContext)',
    'ctx: Ctx',
    'ctx?: Wide',
    'ctx: Wider',
    "ctx: Pick<ToolContext, 'log'>",
    '{ log }: Readonly<Ctx>',
    'ctx: Ctx & { more?: string }',
  ])('may be written as %s', async (parameter) => {
    const plan = await planOf(`import type { ToolContext } from 'switchboard';
type Ctx = ToolContext;
interface Wide extends ToolContext {}
interface Wider extends Pick<Wide, 'log' | 'signal'> {}
export function run(city: string, ${parameter}) {}`);
    expect(plan.arguments).toEqual([{ from: 'parameter', name: 'city' }, { from: 'context' }]);
    expect(plan.hints?.parameters['properties']).toEqual({ city: { type: 'string' } });
  });

  it('is not detected in a type of the file, and is refused in a union with another type', async () => {
    const own = await planOf("interface Own { log: string }\nexport function run(ctx: Pick<Own, 'log'>) {}");
    expect(own.arguments).toEqual([{ from: 'parameter', name: 'ctx' }]);
    const { failure } = await faultOf("import type { ToolContext } from 'switchboard';\nexport function run(ctx: string | ToolContext) {}");
    expect(failure.code).toBe('type_unsupported');
  });

  it('is suggested where a type of its own is not supported', async () => {
    const { failure } = await faultOf('export function run(a: string, ctx: { signal: AbortSignal }) {}');
    expect(failure.hint).toContain('For the context of the call, put `ctx: ToolContext` last.');
  });

  it('is detected by its type in the doc comment in JavaScript', async () => {
    const plan = await planOf(
      "/**\n * @param {string} city\n * @param {import('switchboard').ToolContext} ctx\n */\nexport function run(city, ctx) {}",
      {},
      'tool.mjs',
    );
    expect(plan.arguments).toEqual([{ from: 'parameter', name: 'city' }, { from: 'context' }]);
    expect(plan.hints?.warnings).toEqual([]);
  });
});

it.each([
  ["unit = 'c' as 'c' | 'f'", { type: 'string', enum: ['c', 'f'], default: 'c' }],
  ['unit = Unit.F', { type: 'string', enum: ['c', 'f'], default: 'f' }],
  ["unit = 'c' as const", { type: 'string', const: 'c', default: 'c' }],
  ['unit = new Date()', { type: 'string', format: 'date-time' }],
])('a default gives its type: %s', async (written, schema) => {
  const { hints } = await planOf(`enum Unit { C = 'c', F = 'f' }\nexport function run(${written}) {}`);
  expect(hints?.parameters).toEqual({ type: 'object', properties: { unit: schema }, additionalProperties: false });
  expect(hints?.warnings).toEqual([]);
});
