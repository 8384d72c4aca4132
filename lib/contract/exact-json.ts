import { parseWithBigints } from './big-integers.ts';

/**
 * JSON in the host, the command line and the pages: integers beyond 2^53 are bigints, and `JSON.stringify` writes their digits.
 * This patches the process, so extension processes do not import it.
 */
const rawJson: unknown = Reflect.get(JSON, 'rawJSON');

Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value(this: bigint): unknown {
    const digits = this.toString();
    // Older browsers show text instead of a rounded number.
    return typeof rawJson === 'function' ? Reflect.apply(rawJson, JSON, [digits]) : digits;
  },
});

/** False in browsers without `JSON.rawJSON`. */
export const WRITES_BIGINTS = typeof rawJson === 'function';

/** @throws SyntaxError as `JSON.parse` does */
export const parseExactJson: (text: string) => unknown = parseWithBigints;
