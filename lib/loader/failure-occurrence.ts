import path from 'node:path';
import { FAILURE_CODES } from '#lib/contract/failure-codes.ts';
import type { FailureEnvironment } from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { LINE_END, PLAIN_LINE_END } from '#lib/schema/hints/source-place.ts';
import { asLinked, withoutFolder } from '#lib/runtime/display-paths.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import { codeFrame } from './code-frame.ts';
import { readRegularFile } from './regular-file.ts';
import type { FailureOccurrence } from '#lib/store/store.ts';
import { fingerprint } from './fingerprint.ts';
import { locateInJson } from './json-source.ts';
import { locateImported, locateThrown, locateNameInPython, locateRunInPython, locateSubject } from './locate-subject.ts';
import { hintFor, missingVariable, withLastErrorLine } from './missing-variable.ts';

/** Origin of the failed source; `sources` maps paths relative to the extensions folder to text. */
export interface FailureContext {
  readonly extension: string;
  readonly extensionsDir: string;
  readonly entryFile: string | null;
  readonly sources: Readonly<Record<string, string>>;
  readonly seenAt: string;
  /** The serving revision when it failed; null without one. */
  readonly goodRevision: number | null;
  readonly environment: FailureEnvironment | null;
  /** The server on which it happened. */
  readonly instance: string;
}

/** An occurrence that is not yet part of a version; its revision may not have a number yet. */
export type PreparedFailure = Omit<FailureOccurrence, 'revision' | 'snapshotVersion'>;

/** Completes a failure for display: position, code frame, hint, one-line text, fingerprint. */
export function completeFailure(given: RawFailure, context: FailureContext): PreparedFailure {
  const raw = placeImported(asLinked(given, context), context);
  const absolute = raw.file ?? context.entryFile;
  const file = absolute === null ? null : relativeFile(context.extensionsDir, absolute);
  const source = absolute === null || file === null ? null : (context.sources[file] ?? readSource(absolute));
  const found =
    raw.line === undefined && raw.subject !== undefined && source !== null && absolute !== null ? findSubject(source, absolute, raw) : null;
  const line = raw.line ?? found?.line ?? null;
  const column = raw.column ?? found?.column ?? null;
  const { stage, hint } = FAILURE_CODES[raw.code];
  const fault = cut(withoutFolder(raw.message, context.extensionsDir), LIMITS.errorMessageBytes);
  const message = cut(withoutFolder(withLastErrorLine(raw), context.extensionsDir), LIMITS.errorMessageBytes);
  const lineEnd = lineEndOf(file);
  const stack = raw.stack === undefined ? null : cut(withoutFolder(raw.stack, context.extensionsDir), LIMITS.errorMessageBytes);
  const place = file === null ? context.extension : line === null ? file : `${file}:${line}${column === null ? '' : `:${column}`}`;
  return {
    extension: context.extension,
    instance: context.instance,
    error: `${place}: ${oneLine(message)}`,
    stage,
    code: raw.code,
    message,
    hint: raw.hint ?? variableHint(raw, source === null || line === null ? null : (source.split(lineEnd)[line - 1] ?? null)) ?? hint,
    file,
    line,
    column,
    codeFrame: source !== null && line !== null ? codeFrame(source, line, column ?? 1, lineEnd) : null,
    stack,
    output: raw.output === undefined || raw.output === '' ? null : raw.output,
    ...fingerprint({ extension: context.extension, stage, code: raw.code, file, message: faultOf(raw, fault), stack }),
    failedChecks: raw.failedChecks ?? [],
    goodRevision: context.goodRevision,
    environment: context.environment,
    seenAt: context.seenAt,
  };
}

/** The error of a program without a variable it requires. */
const MAY_LACK_A_VARIABLE = new Set<RawFailure['code']>(['import_error', 'process_exited', 'mcp_error']);

function variableHint({ code, message, output }: RawFailure, line: string | null): string | null {
  if (!MAY_LACK_A_VARIABLE.has(code)) return null;
  const name = missingVariable({ message, line, output: output ?? null });
  return name === null ? null : hintFor(name, code === 'mcp_error');
}

/**
 * `subject` is `['import', name]`, the missing export of a package, or `['throw', text]`, a thrown value that is not an
 * error.
 */
function placeImported(raw: RawFailure, { sources, extensionsDir }: FailureContext): RawFailure {
  const [what, name] = raw.subject ?? [];
  if (raw.line !== undefined || (what !== 'import' && what !== 'throw')) return raw;
  const found = what === 'import' ? locateImported(sources, String(name)) : locateThrown(sources, name?.toString());
  return found === null ? raw : { ...raw, ...found, file: path.join(extensionsDir, found.file) };
}

/** Results of a check vary between runs; the failed checks identify the fault. */
function faultOf({ failedChecks }: RawFailure, message: string): string {
  if (failedChecks === undefined) return message;
  return `Required checks did not pass: ${failedChecks.map(({ name, tool }) => `“${name}” of ${tool}`).join(', ')}.`;
}

/** A description does not show whether a single tool came from TOOL or from TOOLS. */
function findSubject(source: string, file: string, { subject = [], taken }: RawFailure): { line: number; column: number } | null {
  if (file.endsWith('.json')) return locateInJson(source, subject);
  if (file.endsWith('.py') && taken !== undefined)
    return subject[0] === 'run' ? locateRunInPython(source) : locateNameInPython(source, taken.name);
  const isListItem = subject[0] === 'TOOLS' && subject[1] === 0;
  return (isListItem ? locateSubject(source, file, ['TOOL', ...subject.slice(2)]) : null) ?? locateSubject(source, file, subject);
}

function lineEndOf(file: string | null): RegExp {
  return file !== null && /\.(?:py|json)$/.test(file) ? PLAIN_LINE_END : LINE_END;
}

export function relativeFile(extensionsDir: string, absolute: string): string {
  const relative = path.relative(extensionsDir, absolute);
  return relative === '' ? '.' : relative.split(path.sep).join('/');
}

const SHOWN_BYTES_MOST = 2_000_000;

function readSource(file: string): string | null {
  try {
    const source = readRegularFile(file, SHOWN_BYTES_MOST);
    return source.ok ? source.bytes.toString('utf8') : null;
  } catch {
    return null;
  }
}

function oneLine(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > 300 ? `${flat.slice(0, 299)}…` : flat;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
