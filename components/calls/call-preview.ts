import type { Call } from '#lib/contract/call.ts';
import { bytesOf } from '#components/ui/byte-size.ts';

/** As much of a result as a page carries within itself; a larger one is fetched by the page. */
export const PAGE_RESULT_BYTES = 128 * 1_024;

/** A call without its large result. */
export interface CallPreview {
  readonly call: Call;
  /** Of the result, as it is shown. */
  readonly resultBytes: number;
}

/** Null: the call is small enough to go with the page as a whole. */
export function previewOf(call: Call): CallPreview | null {
  const { result } = call;
  const resultBytes = result === null ? 0 : bytesOf(typeof result === 'string' ? result : JSON.stringify(result));
  return resultBytes <= PAGE_RESULT_BYTES ? null : { call: { ...call, result: null, truncated: true }, resultBytes };
}
