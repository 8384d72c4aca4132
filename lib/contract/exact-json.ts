import { parseWithBigints } from './big-integers.ts';

/**
 * JSON in the host, the command line and the pages: integers beyond what a double holds are bigints, and `JSON.stringify` writes
 * these as the digits they are. That holds for the whole process, so extensions' own processes do not import this: how a bigint
 * of theirs is written is up to them.
 */
const rawJson: unknown = Reflect.get(JSON, 'rawJSON');

Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value(this: bigint): unknown {
    const digits = this.toString();
    // A browser without it shows text, which nobody takes for another number.
    return typeof rawJson === 'function' ? Reflect.apply(rawJson, JSON, [digits]) : digits;
  },
});

/** False in browsers that cannot write a number by its digits. */
export const WRITES_BIGINTS = typeof rawJson === 'function';

/** @throws SyntaxError as `JSON.parse` does */
export const parseExactJson: (text: string) => unknown = parseWithBigints;
