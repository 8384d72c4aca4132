import { randomFillSync } from 'node:crypto';
import type { RemoteParent } from '#lib/contract/tracing.ts';

/** W3C Trace Context: which trace, which span of it, and whether it is collected. */
export interface TraceContext {
  /** 32 and 16 hexadecimal digits, lower case, not all zero. */
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  /** What other vendors want handed on; null for nothing. */
  readonly state: string | null;
  readonly isRemote: boolean;
}

const TRACEPARENT = /^(?<version>[\da-f]{2})-(?<traceId>[\da-f]{32})-(?<spanId>[\da-f]{16})-(?<flags>[\da-f]{2})(?<more>-.*)?$/;
const TRACESTATE = /^[\u0020-\u007e]{1,512}$/;
const ZERO = /^0+$/;

/** Null for what is no context: it is then as if nothing had been sent. */
export function readTraceContext({ traceparent, tracestate }: RemoteParent): TraceContext | null {
  const { version = 'ff', traceId = '', spanId = '', flags = '00', more } = TRACEPARENT.exec(traceparent.trim())?.groups ?? {};
  if (version === 'ff' || (version === '00' && more !== undefined) || ZERO.test(traceId) || ZERO.test(spanId)) return null;
  return {
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & 1) === 1,
    state: tracestate !== undefined && TRACESTATE.test(tracestate) ? tracestate : null,
    isRemote: true,
  };
}

export function traceparentOf({ traceId, spanId, isSampled }: Pick<TraceContext, 'traceId' | 'spanId' | 'isSampled'>): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

const POOL_BYTES = 4_096;
const pool = Buffer.alloc(POOL_BYTES);
let at = POOL_BYTES;

/** Random and not all zero; many are drawn at a time, since each draw costs more than the digits. */
export function randomId(bytes: 8 | 16): string {
  if (at + bytes > POOL_BYTES) {
    randomFillSync(pool);
    at = 0;
  }
  const id = pool.toString('hex', at, at + bytes);
  at += bytes;
  return ZERO.test(id) ? randomId(bytes) : id;
}
