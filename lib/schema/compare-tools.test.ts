import { describe, expect, it } from 'vitest';
import { compareSchemas, compareTools, type ToolContract } from './compare-tools.ts';

const object = (properties: Record<string, unknown>, required: string[] = [], additionalProperties: unknown = false) => ({
  type: 'object',
  properties,
  required,
  additionalProperties,
});
const brief = (before: unknown, after: unknown) =>
  compareSchemas(before, after).map(({ path, breaking, message }) => `${breaking ? 'breaking' : 'compatible'} ${path}: ${message}`);

describe('a change of parameters', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['no change', object({ a: { type: 'string' } }), { ...object({ a: { type: 'string' } }) }, []],
    ['a new optional field', object({}), object({ a: {} }), ['compatible /a: It is new and optional.']],
    ['a new required field', object({}), object({ a: {} }, ['a']), ['breaking /a: It is new and required.']],
    ['a field that became required', object({ a: {} }), object({ a: {} }, ['a']), ['breaking /a: It is required now.']],
    ['a field that became optional', object({ a: {} }, ['a']), object({ a: {} }), ['compatible /a: It is optional now.']],
    ['a removed field', object({ a: {} }), object({}), ['breaking /a: It is no longer accepted.']],
    [
      'a field removed from an open schema',
      object({ a: {} }, [], true),
      object({}, [], true),
      ['compatible /a: It is no longer described.'],
    ],
    ['another type', { type: 'string' }, { type: 'number' }, ['breaking : The type was string and is number now.']],
    ['a wider type', { type: 'integer' }, { type: 'number' }, ['compatible : The type was integer and is number now.']],
    ['a narrower type', { type: ['null', 'string'] }, { type: 'string' }, ['breaking : The type was null or string and is string now.']],
    ['a removed value', { enum: ['a', 'b'] }, { enum: ['a'] }, ['breaking : "b" is no longer accepted.']],
    ['an added value', { enum: ['a'] }, { enum: ['a', 'b'] }, ['compatible : "b" is accepted too.']],
    ['a tighter bound', { maximum: 9 }, { maximum: 5 }, ['breaking : `maximum` was 9 and is 5 now.']],
    ['a looser bound', { minLength: 3 }, { minLength: 1 }, ['compatible : `minLength` was 3 and is 1 now.']],
    ['a new pattern', {}, { pattern: '^a' }, ['breaking : `pattern` is "^a" now; there was none.']],
    ['a schema that became closed', object({}, [], true), object({}), ['breaking : Additional fields are refused now.']],
    ['items', { items: { type: 'string' } }, { items: { type: 'number' } }, ['breaking /-: The type was string and is number now.']],
    ['another default', { default: 1 }, { default: 2 }, ['compatible : The default is 2 now; it was 1.']],
    ['another description', { description: 'a' }, { description: 'b' }, ['compatible : The description changed.']],
    ['a union', { anyOf: [{}] }, { anyOf: [{}, {}] }, ['breaking : `anyOf` changed; formerly valid values may be invalid now.']],
    ['a nested field', object({ a: object({ 'b/c': {} }) }), object({ a: object({}) }), ['breaking /a/b~1c: It is no longer accepted.']],
  ])('%s', (_, before, after, expected) => {
    expect(brief(before, after)).toEqual(expected);
  });

  it('ignores the order of keys', () => {
    expect(
      brief({ type: 'string', enum: ['a'], anyOf: [{ a: 1, b: 2 }] }, { anyOf: [{ b: 2, a: 1 }], enum: ['a'], type: 'string' }),
    ).toEqual([]);
  });
});

describe('a change of tools', () => {
  const tool = (name: string, change: Partial<ToolContract> = {}): ToolContract => ({
    name,
    label: 'L',
    description: 'd',
    parameters: object({}),
    outputSchema: null,
    annotations: {},
    timeoutMs: null,
    ...change,
  });

  it('names added and removed tools, breaking changes first', () => {
    const changes = compareTools([tool('old'), tool('kept')], [tool('kept'), tool('new')]);
    expect(changes.map(({ tool: name, change, breaking }) => [name, change, breaking])).toEqual([
      ['old', 'removed', true],
      ['new', 'added', false],
    ]);
  });

  it('lists changes in a tool, breaking ones first', () => {
    const [change] = compareTools([tool('a')], [tool('a', { description: 'other', parameters: object({ x: {} }, ['x']) })]);
    expect(change).toMatchObject({
      change: 'changed',
      breaking: true,
      changes: [
        { path: '/x', breaking: true },
        { path: '', breaking: false },
      ],
    });
  });

  it('is breaking when results lose a guarantee, not when they gain one', () => {
    const results = (before: unknown, after: unknown) =>
      compareTools([tool('a', { outputSchema: before })], [tool('a', { outputSchema: after })])[0]?.breaking;
    expect(results(object({ a: {} }, ['a']), object({ a: {} }))).toBe(true);
    expect(results(object({ a: {} }), object({ a: {} }, ['a']))).toBe(false);
    expect(results(null, object({}))).toBe(false);
    expect(results(object({}), null)).toBe(true);
  });
});
