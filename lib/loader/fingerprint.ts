import { createHash } from 'node:crypto';

export interface FingerprintParts {
  readonly extension: string;
  readonly stage: string;
  readonly code: string;
  /** Where the fault is, relative to the extensions folder; without a line, which moves with every edit. */
  readonly file: string | null;
  readonly message: string;
}

/** What differs from one occurrence of a fault to the next; the order matters, the specific comes first. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  [/\b0x[0-9a-f]+\b/gi, '<address>'],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\[?(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}\]?(?::\d+)?(?![\w:])/gi, '<address>'],
  [/(?<![\w.~-])(?:file:\/\/)?(?:[A-Za-z]:[\\/]|\/)[^\s"'`()<>:,;]+/g, '<path>'],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}\b/gi, '<hex>'],
  [/\d+(?:[.,]\d+)*/g, '<number>'],
];

/** 16 bytes in hex; the same for two occurrences of one fault, whatever moved in between. */
export function fingerprint(parts: FingerprintParts): string {
  let message = parts.message;
  for (const [pattern, word] of VOLATILE) message = message.replace(pattern, word);
  const whole = JSON.stringify([parts.extension, parts.stage, parts.code, parts.file, message.replace(/\s+/g, ' ').trim()]);
  return createHash('sha256').update(whole).digest('hex').slice(0, 32);
}
