import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '#lib/contract/tool.ts';
import { coerceArguments } from './coerce-arguments.ts';
import { parseCommand } from './parse-command.ts';

const PARAMETERS: JsonSchema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    loud: { type: 'boolean' },
    unit: { enum: ['c', 'f', 1] },
    level: { enum: [1, 2] },
    maybe: { type: ['number', 'null'] },
    either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    tags: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', items: { type: 'integer' } },
    place: { $ref: '#/$defs/Place' },
    any: {},
  },
  $defs: { Place: { type: 'object' } },
};

function coerce(text: string): unknown {
  const parsed = parseCommand(`/tool ${text}`);
  if (parsed.kind !== 'pairs') throw new Error(`no pairs: ${JSON.stringify(parsed)}`);
  const coerced = coerceArguments(parsed.pairs, PARAMETERS);
  return coerced.ok ? coerced.args : coerced.message;
}

describe('key=value', () => {
  it.each([
    ['text=12', { text: '12' }],
    ['text=true', { text: 'true' }],
    ['text={"a":1}', { text: '{"a":1}' }],
    ['count=12', { count: 12 }],
    ['count=-0', { count: -0 }],
    ['ratio=.5', { ratio: 0.5 }],
    ['ratio=1e3', { ratio: 1000 }],
    ['loud=TRUE', { loud: true }],
    ['unit=c', { unit: 'c' }],
    ['unit=1', { unit: 1 }],
    ['unit=k', { unit: 'k' }],
    ['maybe=null', { maybe: null }],
    ['maybe=3', { maybe: 3 }],
    ['either=5', { either: 5 }],
    ['either="5"', { either: '5' }],
    ['either=five', { either: 'five' }],
    ['tags=a,b', { tags: ['a', 'b'] }],
    ['tags="a,b"', { tags: ['a,b'] }],
    ['tags=a tags=b', { tags: ['a', 'b'] }],
    ['tags=', { tags: [] }],
    ['numbers=[1, 2]', { numbers: [1, 2] }],
    ['numbers=1,2', { numbers: [1, 2] }],
    ['place={"city": "Oslo"}', { place: { city: 'Oslo' } }],
    ['any=12', { any: 12 }],
    ['any=word', { any: 'word' }],
    ['any="12"', { any: '12' }],
    ['unknown=1', { unknown: 1 }],
  ])('%s is %j', (text, args) => {
    expect(coerce(text)).toEqual(args);
  });

  it.each([
    ['count=1.5', 'count must be a whole number, and “1.5” is not.'],
    ['count="x" ratio=y', 'count must be a whole number, and “x” is not. ratio must be a number, and “y” is not.'],
    ['loud=yes', 'loud must be true or false, and “yes” is not.'],
    ['level=high', 'level must be one of 1, 2, and “high” is not.'],
    ['numbers=1,x', 'numbers must be a list in which each is a whole number, and “1,x” is not.'],
    ['count=1 count=2', 'count is given 2 times; it takes one value.'],
    ['ratio=Infinity', 'ratio must be a number, and “Infinity” is not.'],
  ])('%s is rejected with the expected type', (text, message) => {
    expect(coerce(text)).toBe(message);
  });

  it('changes no prototype', () => {
    expect(Reflect.get({}, 'x')).toBeUndefined();
    coerce('__proto__={"x":1}');
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });
});

it('keeps the digits of an integer that a double would round', () => {
  const id = '1234567890123456789';
  expect(coerce(`count=${id} ratio=-${id} numbers=[${id},1] any=${id}`)).toEqual({
    count: BigInt(id),
    ratio: -BigInt(id),
    numbers: [BigInt(id), 1],
    any: BigInt(id),
  });
  expect(coerce(`count=+${id} text=${id} numbers=1,${id}`)).toEqual({ count: BigInt(id), text: id, numbers: [1, BigInt(id)] });
  const parsed = parseCommand(`/tool {"count": ${id}}`);
  expect(parsed.kind === 'json' && parsed.args).toEqual({ count: BigInt(id) });
});
