import fc from 'fast-check';
import { withEdges } from './edge-arbitrary.ts';
import { numberIn } from './schema-parts.ts';
import type { Schema } from './schema-parts.ts';

/** Where programs that count in 16, 32 or 53 bits go wrong. */
const EDGES = [0, 1, -1, 32_767, 65_536, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
/** So far from a bound that is given most numbers lie, and from nought where none is. */
const NEAR = 1_000;

export function integers(schema: Schema): fc.Arbitrary<number> {
  const step = numberIn(schema, 'multipleOf') ?? 1;
  const { digits, whole } = scaled(step > 0 ? step : 1);
  const toValue = (count: number): number => (count * whole) / digits;
  const most = Math.floor(Number.MAX_SAFE_INTEGER / Math.max(whole, 1));
  const isShort = schema['format'] === 'int32';
  const low = lowest(schema, step) ?? (isShort ? -(2 ** 31) / step : -most);
  const high = highest(schema, step) ?? (isShort ? (2 ** 31 - 1) / step : most);
  const min = clamp(Math.ceil(low), -most, most);
  // A pair of bounds that nothing fits: the lower one, which the validator then refuses.
  const max = Math.max(min, clamp(Math.floor(high), -most, most));
  const near = clamp(lowest(schema, step) ?? (highest(schema, step) === null ? 0 : high), min, max);
  const ranges = [
    [Math.max(min, near - NEAR), Math.min(max, near + NEAR)],
    [min, max],
  ] as const;
  const counts = ranges.map(([from, to]) => fc.integer({ min: from, max: to }));
  const edges = [...new Set([min, max, ...EDGES.map((edge) => Math.trunc(edge / step))])].filter((edge) => edge >= min && edge <= max);
  const all = withEdges(max - min <= 2 * NEAR ? fc.integer({ min, max }) : fc.oneof(...counts), edges);
  if (whole === 1 && digits === 1) return all;
  return all.map(toValue, (value) => Math.round((Number(value) * digits) / whole));
}

export function numbers(schema: Schema): fc.Arbitrary<number> {
  const min = greatest(numberIn(schema, 'minimum'), numberIn(schema, 'exclusiveMinimum')) ?? -1e300;
  const max = least(numberIn(schema, 'maximum'), numberIn(schema, 'exclusiveMaximum')) ?? 1e300;
  if (numberIn(schema, 'multipleOf') !== null || min >= max) return integers(schema);
  const all = fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
  const near = fc.double({ min: Math.max(min, -NEAR), max: Math.max(min, Math.min(max, NEAR)), noNaN: true });
  return fc.oneof({ arbitrary: integers(schema), weight: 2 }, { arbitrary: all, weight: 1 }, { arbitrary: near, weight: 1 });
}

function lowest(schema: Schema, step: number): number | null {
  const open = numberIn(schema, 'exclusiveMinimum');
  const closed = numberIn(schema, 'minimum');
  return greatest(open === null ? null : Math.floor(open / step) + 1, closed === null ? null : Math.ceil(closed / step));
}

function highest(schema: Schema, step: number): number | null {
  const open = numberIn(schema, 'exclusiveMaximum');
  const closed = numberIn(schema, 'maximum');
  return least(open === null ? null : Math.ceil(open / step) - 1, closed === null ? null : Math.floor(closed / step));
}

function greatest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function least(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** 0.01 as 1 of 100, so that three steps are 0.03. */
function scaled(step: number): { readonly whole: number; readonly digits: number } {
  let digits = 1;
  while (digits < 1e12 && !Number.isInteger(Math.round(step * digits * 1e6) / 1e6)) digits *= 10;
  return { whole: Math.max(1, Math.round(step * digits)), digits };
}
