import { DESCRIPTION_BYTES } from '../messages.ts';
import type { RawDescription } from '../runtime.ts';

/** The description as text for the host; null if it is too large for the host. The limit is in bytes, not characters. */
export function descriptionText(raw: RawDescription): string | null {
  const text = JSON.stringify(raw);
  return Buffer.byteLength(text) > DESCRIPTION_BYTES ? null : text;
}

export const DESCRIPTION_TOO_LARGE = `The tool descriptions contain more than ${DESCRIPTION_BYTES / 1_048_576} MiB of JSON. Shorten the descriptions and schemas.`;
