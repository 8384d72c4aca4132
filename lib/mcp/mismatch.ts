import type { Refusal } from './json-rpc.ts';
import { RPC } from './protocol.ts';

/**
 * The stateless protocol repeats in headers what a proxy would route by. They must agree with the body: otherwise a proxy's
 * check of the headers could be bypassed.
 */
export function mismatch(header: string, given: string | null, expected: string): Refusal {
  const value = given === null ? 'is missing' : `says "${given.slice(0, 100)}"`;
  return {
    status: 400,
    code: RPC.headerMismatch,
    message: `The header ${header} ${value}, the body says "${expected.slice(0, 100)}". They must agree.`,
    data: { mismatch: { header, given, expected } },
  };
}
