import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';

/**
 * Request body of a call with its arguments byte for byte as written. Whitespace is removed only if it would exceed the size
 * limit.
 */
export function callBody(argumentsText: string, timeoutMs: number | null): string {
  const written = bodyOf(argumentsText, timeoutMs);
  if (written.length <= LIMITS.bodyBytes && new TextEncoder().encode(written).length <= LIMITS.bodyBytes) return written;
  return bodyOf(JSON.stringify(parseExactJson(argumentsText)), timeoutMs);
}

function bodyOf(argumentsText: string, timeoutMs: number | null): string {
  return `{"arguments":${argumentsText}${timeoutMs === null ? '' : `,"timeout_ms":${timeoutMs}`}}`;
}
