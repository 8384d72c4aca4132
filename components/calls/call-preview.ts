import type { Call } from '#lib/contract/call.ts';
import { bytesOf } from '#components/ui/byte-size.ts';

/** Larger results are fetched by the page. */
export const PAGE_RESULT_BYTES = 128 * 1_024;

export interface CallPreview {
  readonly call: Call;
  readonly resultBytes: number;
}

/** Null if the call is small enough to be sent in full. */
export function previewOf(call: Call): CallPreview | null {
  const { result } = call;
  const resultBytes = result === null ? 0 : bytesOf(typeof result === 'string' ? result : JSON.stringify(result));
  return resultBytes <= PAGE_RESULT_BYTES ? null : { call: { ...call, result: null, truncated: true }, resultBytes };
}
