import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';

/**
 * The body of a call with its arguments as they are written, byte for byte: what a person sees is what goes out. Only where the
 * spaces in them would make it larger than the server takes are they left out.
 */
export function callBody(argumentsText: string, timeoutMs: number | null): string {
  const written = bodyOf(argumentsText, timeoutMs);
  if (written.length <= LIMITS.bodyBytes && new TextEncoder().encode(written).length <= LIMITS.bodyBytes) return written;
  return bodyOf(JSON.stringify(parseExactJson(argumentsText)), timeoutMs);
}

function bodyOf(argumentsText: string, timeoutMs: number | null): string {
  return `{"arguments":${argumentsText}${timeoutMs === null ? '' : `,"timeout_ms":${timeoutMs}`}}`;
}
