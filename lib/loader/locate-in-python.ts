import { placeAt, PLAIN_LINE_END } from '#lib/schema/hints/source-place.ts';
import type { SourcePlace } from '#lib/schema/hints/source-place.ts';

/**
 * Where a Python text gives a tool its name: at the key or the keyword that has it, else where `TOOL` or `TOOLS` gets its value.
 * Of what else is wrong with a file of Python the child reads the place itself; that a name is taken is known here alone.
 */
export function locateNameInPython(source: string, name: string): SourcePlace | null {
  const written = new RegExp(`(?:(["'])name\\1\\s*:|\\bname\\s*(?::\\s*str\\s*)?=)\\s*(["'])${name}\\2`).exec(source);
  const found = written ?? /^TOOLS?\b(?=[^=\n]*=)/m.exec(source);
  return found === null ? null : placeAt(source, found.index, PLAIN_LINE_END);
}

/** Where a one-file tool has its function. */
export function locateRunInPython(source: string): SourcePlace | null {
  const found = /^(?:async[ \t]+def|def|class)[ \t]+run\b|^run\b(?=[^=\n]*=)/m.exec(source);
  return found === null ? null : placeAt(source, found.index, PLAIN_LINE_END);
}
