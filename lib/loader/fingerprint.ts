import { createHash } from 'node:crypto';
import type { GroupBasis } from '#lib/contract/failure-group.ts';

export interface FingerprintParts {
  readonly extension: string;
  readonly stage: string;
  readonly code: string;
  /** File of the fault, relative to the extensions folder; without a line, because lines move with every edit. */
  readonly file: string | null;
  readonly message: string;
  /** In source positions, the extension's own frames first. */
  readonly stack?: string | null;
}

export interface Fingerprint {
  /** 16 bytes in hex; equal for two occurrences of one failure, even if lines moved in between. */
  readonly fingerprint: string;
  /** Its inputs, for display. */
  readonly basis: GroupBasis;
  /** Equal across extensions with the same cause: a broken shared helper, or a program that none of them finds. */
  readonly cause: string;
}

/** Values that vary between occurrences of a fault; the order matters, specific patterns first. */
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

/** Faults outside of any file: equal messages have the same cause, whichever file caused the request. */
const OUTSIDE = new Set(['runtime_missing', 'spawn_failed', 'config_missing']);
const MISSING_PACKAGE = /^(?:The package "|No module named |Cannot find package )/;

export function fingerprint(parts: FingerprintParts): Fingerprint {
  const { extension, stage, code, file } = parts;
  const frame = file === null ? null : withFunction(file, parts.stack ?? '');
  const message = normaliseMessage(parts.message);
  const isOutside = OUTSIDE.has(code) || (code === 'import_unresolved' && MISSING_PACKAGE.test(parts.message));
  return {
    fingerprint: hash([extension, stage, code, frame, message]),
    basis: { extension, stage, code, frame, message },
    cause: hash([stage, code, isOutside ? null : (frame ?? extension), message]),
  };
}

function normaliseMessage(text: string): string {
  let message = text;
  for (const [pattern, word] of VOLATILE) message = message.replace(pattern, word);
  return message.replace(/\s+/g, ' ').trim();
}

/**
 * The function of the top frame, when it is in the file of the fault: an equal message elsewhere in the file is another
 * fault.
 */
function withFunction(file: string, stack: string): string {
  const top = stack.split('\n').find((line) => /^\s+(?:at |File ")/.test(line)) ?? '';
  const python = /^\s+File "([^"]+)", line \d+, in (\w+)$/.exec(top);
  const node = /^\s+at (?:async )?(?:new )?([\w$.#]+) \((.+?)(?::\d+)+\)$/.exec(top);
  const [place, name] = python === null ? [node?.[2], node?.[1]] : [python[1], python[2]];
  return place === file && name !== undefined ? `${file} ${name}` : file;
}

function hash(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
