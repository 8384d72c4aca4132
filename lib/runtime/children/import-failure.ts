import { LIMITS } from '#lib/contract/limits.ts';
import { withInnerErrors } from './inner-errors.ts';
import { missingPermission } from './missing-permission.ts';
import { readStack } from './stack-frames.ts';
import { messageOf, readField } from './message-of.ts';
import { cutMessage, missingModule } from './thrown.ts';
import type { FailureReport } from '../messages.ts';

/**
 * Explains why a module could not be imported, with the location. Node's messages name the built program ("imported from
 * /…/program.mjs"), which its author does not know; this part is removed.
 */
export interface ImportPlace {
  readonly extension: string;
  readonly program: string;
  readonly ownFolders: readonly string[];
  /** This program's own file: never shown. */
  readonly childProgram: string;
}

export function explainImport(thrown: unknown, place: ImportPlace): FailureReport {
  const { text, first } = readStack(thrown, place.ownFolders, place.childProgram);
  const at = first === null || first.file === null ? {} : { file: first.file, line: first.line, column: first.column };
  const shared = { ...at, ...(text === null ? {} : { stack: text.slice(0, 4 * LIMITS.errorMessageBytes) }) };
  const message = messageOf(thrown);
  const code = readField(thrown, 'code');

  const refused = missingPermission(thrown, place.extension);
  if (refused !== null)
    return {
      code: 'import_error',
      message: refused,
      hint: `Grant the permission with EXTENSION_ALLOW, or move the code that needs it out of this file.`,
      ...shared,
    };
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
    return { code: 'import_unresolved', message: cutMessage(missingModule(thrown) ?? `${withoutImporter(message)}.`), ...shared };
  }
  if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' || code === 'ERR_UNSUPPORTED_DIR_IMPORT' || code === 'ERR_UNKNOWN_BUILTIN_MODULE') {
    return { code: 'import_unresolved', message: cutMessage(withoutImporter(message)), ...shared };
  }
  if (readField(thrown, 'name') === 'SyntaxError') {
    const imported = /does not provide an export named '(.+)'|Named export '(.+)' not found/.exec(message);
    if (imported !== null) {
      return {
        code: 'import_unresolved',
        message: cutMessage(message),
        hint: 'Check the spelling of the imported name, and which version of the package is installed.',
        subject: ['import', (imported[1] ?? imported[2] ?? '').slice(0, 200)],
        ...shared,
      };
    }
    if (isParseError(thrown)) return { code: 'syntax_error', message: cutMessage(message), ...shared };
  }
  const name = readField(thrown, 'name');
  const named =
    typeof name === 'string' && name !== 'Error' && !message.startsWith(name) && thrown instanceof Error ? `${name}: ${message}` : message;
  return { code: 'import_error', message: cutMessage(withInnerErrors(named, thrown)), ...subjectOf(thrown, text), ...shared };
}

/** Without a stack the loader searches for the statement that threw. */
function subjectOf(thrown: unknown, stack: string | null): Pick<FailureReport, 'subject'> {
  if (stack !== null || thrown instanceof Error) return {};
  return { subject: ['throw', ...(typeof thrown === 'object' && thrown !== null ? [] : [String(thrown).slice(0, 200)])] };
}

function withoutImporter(message: string): string {
  const cut = message.split('\n')[0] ?? message;
  return cut.replace(/ imported from .*$/, '').replace(/\.$/, '');
}

/** V8 rejected the text of a module, as opposed to a `JSON.parse` or `new Function` that threw in it. */
function isParseError(thrown: unknown): boolean {
  const stack = readField(thrown, 'stack');
  if (typeof stack !== 'string') return false;
  const first = stack.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
  return /\b(?:compileSourceTextModule|wrapSafe|compileFunctionForCJSLoader)\b/.test(first);
}
