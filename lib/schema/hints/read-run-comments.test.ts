import { describe, expect, it } from 'vitest';
import { faultOf, planOf } from './reading-for-tests.ts';

describe('doc comments', () => {
  it('describe the tool and its parameters', async () => {
    const { hints } = await planOf(`/**
 * Forecast for a city,
 * day by day.
 *
 * Use {@link get_now | the other tool} for now.
 * @param city - Name in English,
 *   or in the local language
 * @param days how many
 * @returns text
 */
export async function run(city: string, days = 3) {}`);
    expect(hints?.description).toBe('Forecast for a city, day by day.\n\nUse the other tool for now.');
    expect(hints?.parameters['properties']).toMatchObject({
      city: { description: 'Name in English, or in the local language' },
      days: { description: 'how many' },
    });
  });

  it('describe properties, also destructured ones; `@param` takes precedence, then the type', async () => {
    const { hints } = await planOf(`
/** Where. */
interface Place { /** In degrees. */ lat: number }
interface Args {
  /**
   * Of the owner.
   * @minLength 2
   * @pattern ^[A-Z]
   */
  name: string;
  /** From the type. */
  age?: number;
  place: Place;
  /** @deprecated @default 3 */
  old?: number;
  /** @integer
   * @minimum 1
   * @default 5 */
  count: number;
}
/**
 * Saves.
 * @param age In years
 */
export function run({ name, age }: Args) {}`);
    expect(hints?.parameters['properties']).toEqual({
      name: { type: 'string', description: 'Of the owner.', minLength: 2, pattern: '^[A-Z]' },
      age: { type: 'number', description: 'In years' },
      place: {
        type: 'object',
        properties: { lat: { type: 'number', description: 'In degrees.' } },
        required: ['lat'],
        additionalProperties: false,
        description: 'Where.',
      },
      old: { type: 'number', deprecated: true, default: 3 },
      count: { type: 'integer', minimum: 1, default: 5 },
    });
    expect(hints?.parameters['required']).toEqual(['name', 'place']);
  });

  it('are hints in JavaScript', async () => {
    const { hints } = await planOf(
      `/**
 * Adds.
 * @param {string} a - The a
 * @param {number} [days=3] How many
 * @param {?string} c
 * @param {'x' | 'y'=} d
 * @param {Object} place Where
 * @param {string} place.city The city
 * @param {number} [place.zip]
 * @param {Array.<string>} list
 * @param {Object.<string, number>} map
 * @param {{ deep: boolean }} options
 * @param {*} all
 * @param {...number} rest
 */
export function run(a, days, c, d, place, list, map, options, all, ...rest) {}`,
      {},
      'tool.js',
    );
    expect(hints?.warnings).toEqual([]);
    expect(hints?.parameters).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', description: 'The a' },
        days: { type: 'number', default: 3, description: 'How many' },
        c: { type: ['string', 'null'] },
        d: { type: 'string', enum: ['x', 'y'] },
        place: {
          type: 'object',
          properties: { city: { type: 'string', description: 'The city' }, zip: { type: 'number' } },
          required: ['city'],
          additionalProperties: false,
          description: 'Where',
        },
        list: { type: 'array', items: { type: 'string' } },
        map: { type: 'object', additionalProperties: { type: 'number' } },
        options: { type: 'object', properties: { deep: { type: 'boolean' } }, required: ['deep'], additionalProperties: false },
        all: {},
        rest: { type: 'array', items: { type: 'number' } },
      },
      required: ['a', 'c', 'place', 'list', 'map', 'options', 'all'],
      additionalProperties: false,
    });
  });

  it.each([
    ['/** Adds. @type {(a: string, b?: number, ...rest: number[]) => void} */'],
    [
      '/**\n * @callback Adder\n * @param {string} first\n * @param {number} [second]\n * @param {...number} others\n */\n/** @type {Adder} */',
    ],
    ['/** @typedef {(a: string, b?: number, ...rest: number[]) => void} Adder */\n/**\n * Adds.\n * @type {Adder}\n */'],
    ['/**\n * @type {(x: boolean, y?: number, ...z: number[]) => void}\n * @param {string} a\n */'],
  ])('specify the function type of `run` in JavaScript: %s', async (comment) => {
    const { hints } = await planOf(`${comment}\nexport const run = (a, b, ...rest) => a;`, {}, 'tool.js');
    expect(hints?.warnings).toEqual([]);
    expect(hints?.parameters).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' }, rest: { type: 'array', items: { type: 'number' } } },
      required: ['a'],
      additionalProperties: false,
    });
  });

  it('specify destructured parameters and the context, described by `@param`', async () => {
    const { hints, arguments: given } = await planOf(
      `/**
 * @type {(where: { city: string, days?: number }, ctx: import('switchboard').ToolContext) => void}
 * @param where - Where
 * @param where.city Its name
 */
export const run = ({ city, days = 3 }, ctx) => city;`,
      {},
      'tool.js',
    );
    expect(hints?.parameters).toMatchObject({
      properties: { city: { type: 'string', description: 'Its name' }, days: { type: 'number', default: 3 } },
      required: ['city'],
    });
    expect(given).toEqual([{ from: 'object', names: null }, { from: 'context' }]);
  });

  it('leave parameters without a type where `@type` is not a function type with parameters', async () => {
    for (const type of ['Function', 'Nobody', 'function(string): void', 'string', '() => void']) {
      const { hints } = await planOf(`/** @type {${type}} */\nexport const run = (a) => a;`, {}, 'tool.js');
      expect(hints?.parameters['properties']).toEqual({ a: {} });
      expect(hints?.warnings).toEqual([expect.stringContaining('"a" has no type')]);
    }
  });

  it.each([
    ['@typedef {Object} Place\n * @property {string} city - The city\n * @property {Zip} [zip]\n */\n/** @typedef {number} Zip'],
    ['@typedef {{ city: string, zip?: number }} Place'],
    ["@typedef {import('./types.ts').Place} Place"],
  ])('declare types in JavaScript: %s', async (comment) => {
    const files = { 'types.ts': 'export interface Place { city: string; zip?: number }' };
    const { hints } = await planOf(
      `/**\n * ${comment} */\n/** @param {Place[]} places */\nexport function run(places) {}`,
      files,
      'tool.js',
    );
    expect(hints?.parameters['properties']).toMatchObject({
      places: {
        items: { properties: { city: { type: 'string' }, zip: { type: 'number' } }, required: ['city'], additionalProperties: false },
      },
    });
  });

  it('declare values of an object as a type, type parameters, and a type with the name of a constant', async () => {
    const { hints } = await planOf(
      `/** @enum {string} */
const Modes = { Fast: 'fast', Slow: 'slow' };
/** @typedef {{ lat: number }} Place */
const Place = { lat: 1 };
/**
 * @template T, U
 * @template {string} V - Text
 * @param {Modes} mode
 * @param {T} one
 * @param {U[]} list
 * @param {Record<string, V>} map
 * @param {Place} place
 */
export function run(mode, one, list, map, place) {}`,
      {},
      'tool.js',
    );
    expect(hints?.parameters['properties']).toEqual({
      mode: { type: 'string', enum: ['fast', 'slow'] },
      one: {},
      list: { type: 'array', items: {} },
      map: { type: 'object', additionalProperties: true },
      place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'], additionalProperties: false },
    });
  });

  it.each([
    ["import('./types.js').Place", ''],
    ['Place', "/** @import { Place } from './types.js' */"],
    ['Spot', "/** @import { Place as Spot } from './types.js' */"],
    ['all.Place', "/** @import * as all from './types.js' */"],
    ['Place', "/** @typedef {import('./types.js').Place} Place */"],
  ])('name a type in a comment of another JavaScript file: %s %s', async (type, before) => {
    const { hints } = await planOf(
      `${before}\n/** @param {${type}} place */\nexport function run(place) {}`,
      { 'types.js': '/**\n * @typedef {Object} Place\n * @property {Unit} unit\n */\n/** @typedef {number} Unit */' },
      'tool.js',
    );
    expect(hints?.parameters['properties']).toEqual({
      place: { type: 'object', properties: { unit: { type: 'number' } }, required: ['unit'], additionalProperties: false },
    });
  });

  it('name a type in a comment of a JavaScript file, in TypeScript too', async () => {
    const { hints } = await planOf("import type { Place } from './types.js';\nexport function run(place: Place) {}", {
      'types.js': '/** @typedef {{ unit: number }} Place */',
    });
    expect(hints?.parameters['properties']).toMatchObject({ place: { required: ['unit'] } });
  });

  it('may have constraints and a default after the text on one line, also written as in JavaScript', async () => {
    const { hints } = await planOf(`export interface Options {
  /** Page size. @default 20 @minimum 1 @maximum 100 */ size?: number;
  /** Old. @deprecated use size */ old?: string;
  /** @integer */ count: number;
  /** Tags. @default ['a', "b"] */ tags?: string[];
  /** Least. @default { from: -1, 'to': [null, true] } */ range?: object;
  /** Mail of @bob or @integers @format email */ mail?: string;
  /** @default a-b */ mode?: string;
}
export function run({ size, old, count, tags, range, mail, mode }: Options) {}`);
    expect(hints?.parameters['properties']).toEqual({
      size: { type: 'number', description: 'Page size.', default: 20, minimum: 1, maximum: 100 },
      old: { type: 'string', description: 'Old.', deprecated: true },
      count: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' }, description: 'Tags.', default: ['a', 'b'] },
      range: { description: 'Least.', default: { from: -1, to: [null, true] } },
      mail: { type: 'string', description: 'Mail of @bob or @integers', format: 'email' },
      mode: { type: 'string', default: 'a-b' },
    });
  });

  it('may have usual words that are no types of TypeScript', async () => {
    const comment =
      '/** @param {integer} a @param {int[]} b @param {?bool} c @param {float|double} d @param {array} e @param {integer} [f=3] */';
    const { hints } = await planOf(`${comment}\nexport function run(a, b, c, d, e, f) {}`, {}, 'tool.js');
    expect(hints?.parameters['properties']).toEqual({
      a: { type: 'integer' },
      b: { type: 'array', items: { type: 'integer' } },
      c: { type: ['boolean', 'null'] },
      d: { type: 'number' },
      e: { type: 'array', items: {} },
      f: { type: 'integer', default: 3 },
    });
    expect((await faultOf('/** @param {function} a */\nexport function run(a) {}', {}, 'tool.js')).failure.message).toContain(
      'is a function, which JSON does not support',
    );
  });

  it('set no default that only running code can show, or of another type', async () => {
    const js = await planOf(
      `/**
 * @param {string} [dir=process.cwd()] - Folder
 * @param {string} [root=process.cwd()]
 * @param {number} [most=LIMIT]
 * @param {string} [lang=de]
 * @param {string} [zone=null]
 * @param {string|number} [size=5]
 * @param {'a'|'b'} [mode=c]
 */
export function run(dir = process.cwd(), root, most, lang, zone, size, mode) {}`,
      {},
      'tool.js',
    );
    expect(js.hints?.parameters).toMatchObject({
      properties: {
        dir: { type: 'string', description: 'Folder' },
        root: { type: 'string' },
        most: { type: 'number' },
        lang: { default: 'de' },
        zone: { type: 'string' },
        size: { default: 5 },
        mode: { enum: ['a', 'b'] },
      },
    });
    const ts = await planOf(`interface Options {
  /** @default undefined */ a?: string;
  /** @default new Date() */ b?: Date;
  /** @default Infinity */ c?: number;
  /** @default os.tmpdir() */ d?: string;
  /** @default config.json */ e?: string;
  /** @default "a@b.org" @format email */ f?: string;
  /** @default 5 @integer */ g?: number;
}
export function run({ a, b, c, d, e, f, g }: Options) {}`);
    const defaults = ({ hints }: typeof ts): object =>
      Object.fromEntries(
        Object.entries(Object(hints?.parameters['properties'])).flatMap(([name, schema]) =>
          'default' in Object(schema) ? [[name, Object(schema)['default']]] : [],
        ),
      );
    expect(defaults(js)).toEqual({ lang: 'de', size: 5 });
    expect(js.hints?.parameters['required']).toBeUndefined();
    expect(defaults(ts)).toEqual({ e: 'config.json', f: 'a@b.org', g: 5 });
  });

  it('assert constants in JavaScript', async () => {
    const { hints } = await planOf(
      "const ROLES = /** @type {const} */ (['a', 'b']);\n/** @param {(typeof ROLES)[number]} role */\nexport function run(role) {}",
      {},
      'tool.js',
    );
    expect(hints?.parameters['properties']).toEqual({ role: { type: 'string', enum: ['a', 'b'] } });
  });

  it('declare properties of properties, of objects in lists, and defaults', async () => {
    const { hints } = await planOf(
      `/**
 * @typedef {Object} Args
 * @property {Object} deep - The deep one
 * @property {string} deep.x - Inside
 * @property {number} [deep.y=2]
 * @property {number} [age=5]
 * @property {string} [zip=0150]
 * @property {Date} [at=now]
 * @property {Object[]} kids
 * @property {string} kids[].name - Of a kid
 */
/**
 * @param {Args} args
 * @param {Object[]} list
 * @param {string} list[].name - Of one
 * @param {Object} more
 * @param {Object} more.deep
 * @param {boolean} [more.deep.on=true]
 * @param name
 */
export function run(args, list, more, name) {}`,
      {},
      'tool.js',
    );
    const listOf = (description: string) => ({
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string', description } }, required: ['name'], additionalProperties: false },
    });
    expect(hints?.parameters['properties']).toEqual({
      args: {
        type: 'object',
        properties: {
          deep: {
            type: 'object',
            properties: { x: { type: 'string', description: 'Inside' }, y: { type: 'number', default: 2 } },
            required: ['x'],
            additionalProperties: false,
            description: 'The deep one',
          },
          age: { type: 'number', default: 5 },
          zip: { type: 'string', default: '0150' },
          at: { type: 'string', format: 'date-time' },
          kids: listOf('Of a kid'),
        },
        required: ['deep', 'kids'],
        additionalProperties: false,
      },
      list: listOf('Of one'),
      more: {
        type: 'object',
        properties: {
          deep: { type: 'object', properties: { on: { type: 'boolean', default: true } }, additionalProperties: false },
        },
        required: ['deep'],
        additionalProperties: false,
      },
      name: {},
    });
  });

  it.each([
    ['tool.ts', 'opts: O, a: number', ''],
    ['tool.ts', 'opts: O | null, a: number', ''],
    ['tool.ts', 'opts: O = { a: 1, list: [] }, a: number', ''],
    ['tool.js', 'opts, a', '@typedef {{ a: number, list: { b: string }[] }} O */\n/**\n * @param {O} opts\n * @param {number} a\n'],
  ])('describe properties of a parameter with its own type: %s (%s)', async (entryName, parameters, tags) => {
    const before = entryName.endsWith('.ts') ? 'interface O { a: number; /** Own. */ list: { b: string }[] }\n' : '';
    const { hints } = await planOf(
      `${before}/** ${tags}\n * @param opts.a The a\n * @param opts.list[].b The b */\nexport function run(${parameters}) {}`,
      {},
      entryName,
    );
    expect(JSON.stringify(hints?.parameters)).toContain('"a":{"type":"number","description":"The a"}');
    expect(JSON.stringify(hints?.parameters)).toContain('"b":{"type":"string","description":"The b"}');
    expect(hints?.parameters['properties']).toMatchObject({ a: { type: 'number' } });
    expect(hints?.parameters['properties']).not.toHaveProperty('a.description');
  });

  it('may have tags after the text on one line', async () => {
    const { hints } = await planOf(
      '/** Adds, ask @ada about it. @param a the first @param b the other @returns both */\nexport function run(a: number, b: number) {}',
    );
    expect(hints).toMatchObject({
      description: 'Adds, ask @ada about it.',
      parameters: { properties: { a: { description: 'the first' }, b: { description: 'the other' } } },
    });
  });

  it.each([
    ['module.exports = {\n  /** Adds. @param {number} a The a */\n  run(a) {},\n};'],
    ['/** Adds. @param {number} a The a */\nmodule.exports = { run: (a) => a };'],
  ])('may precede the function or the exports that contain it: %s', async (source) => {
    const { hints } = await planOf(source, {}, 'tool.js');
    expect(hints).toMatchObject({
      description: 'Adds.',
      parameters: { properties: { a: { type: 'number', description: 'The a' } } },
    });
  });

  it.each(['// eslint-disable-next-line', '// biome-ignore lint: it must', '/* istanbul ignore next */', '/* one */ // two\n// three'])(
    'may be followed by other comments: %s',
    async (comment) => {
      const js = await planOf(`/** Adds. @param {number} a The a */\n${comment}\nexport function run(a) {}`, {}, 'tool.js');
      expect(js.hints).toMatchObject({ description: 'Adds.', parameters: { properties: { a: { type: 'number', description: 'The a' } } } });
      const ts = await planOf(`interface Args {\n/** In years. */\n${comment}\nage: number; // not for the next\nname: string }
export function run({ age, name }: Args) {}`);
      expect(ts.hints?.parameters['properties']).toEqual({ age: { type: 'number', description: 'In years.' }, name: { type: 'string' } });
    },
  );

  it('are not hints in TypeScript', async () => {
    const { hints } = await planOf('/** @param {string} a The a */\nexport function run(a) {}');
    expect(hints?.parameters['properties']).toEqual({ a: { description: 'The a' } });
  });

  it('belong to the declaration directly after them', async () => {
    const { hints } = await planOf('/** Of the constant. */\nconst a = 1;\nexport function run() { return a; }');
    expect(hints?.description).toBe('');
  });
});

it('reads a type in a comment that contains itself', async () => {
  const text = `/**
 * @typedef {object} Part
 * @property {string} name - What it is called
 * @property {Part[]} [parts]
 */
/** @param {Part} part */
export function run(part) {}`;
  expect((await planOf(text, {}, 'tool.js')).hints?.parameters).toMatchObject({
    properties: { part: { $ref: '#/$defs/Part' } },
    $defs: {
      Part: { properties: { name: { description: 'What it is called' }, parts: { items: { $ref: '#/$defs/Part' } } }, required: ['name'] },
    },
  });
});
