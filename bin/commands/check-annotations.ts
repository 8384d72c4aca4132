import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { escapeControl } from '#lib/host/escape-control.ts';
import type { CheckReport } from './check-report.ts';

/**
 * A check as workflow commands of GitHub Actions, which annotate lines. The runner executes every output line that starts
 * with `::`, and extensions control parts of the text, so commands are off while it is printed, until an unguessable token.
 */
export function githubAnnotations(report: CheckReport, workspace: string, text: string, word: string = randomUUID()): string {
  const fileOf = (file: string | null): string => path.relative(workspace, path.join(report.folder, file ?? '')).replaceAll('\\', '/');
  const failures = report.failures.map((failure) =>
    annotation(
      'error',
      {
        file: fileOf(failure.file),
        ...(failure.line === null ? {} : { line: String(failure.line) }),
        ...(failure.column === null ? {} : { col: String(failure.column) }),
        title: `${failure.extension}: ${failure.code}`,
      },
      failure.hint === '' ? failure.message : `${failure.message}\n${failure.hint}`,
    ),
  );
  const warnings = report.warnings.map(({ extension, file, message }) =>
    annotation('warning', { file: fileOf(file), title: extension }, message),
  );
  return `${[...failures, ...warnings].map((line) => `${line}\n`).join('')}${withoutCommands(text, word)}`;
}

/** Untrusted text, printed with workflow commands off. */
export function withoutCommands(text: string, word: string = randomUUID()): string {
  return `::stop-commands::${word}\n${text.trimEnd()}\n::${word}::\n`;
}

export function annotation(kind: 'error' | 'warning', properties: Readonly<Record<string, string>>, message: string): string {
  const list = Object.entries(properties).map(
    ([name, value]) => `${name}=${escapeData(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${kind} ${list.join(',')}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.split('\n').map(escapeControl).join('\n').replaceAll('%', '%25').replaceAll('\n', '%0A');
}
