import type { Extension } from '#lib/contract/extension.ts';
import type { Failure } from '#lib/contract/failure.ts';
import { escapeControl } from '#lib/host/escape-control.ts';
import type { CheckReport } from './check-report.ts';
import type { Style } from './command.ts';

type Paint = (style: Style, text: string) => string;

/**
 * A check as text: failures with code frames, warnings and a summary line. Control characters are escaped, because
 * extensions provide the texts.
 */
export function checkText(report: CheckReport, folder: string, paint: Paint): string {
  const failures = report.failures.map((failure) => failureText(failure, folder, paint));
  const warnings = report.warnings.map(
    ({ extension, message }) => `${paint('yellow', 'warning')} ${paint('bold', oneLine(extension))}  ${oneLine(message)}\n`,
  );
  const blocks = [...failures, ...(warnings.length === 0 ? [] : [warnings.join('')]), `${summary(report, folder, paint)}\n`];
  return blocks.join('\n');
}

function failureText(failure: Failure, folder: string, paint: Paint): string {
  const place = failure.file === null ? '' : `  ${paint('cyan', oneLine(placeOf(failure, folder)))}`;
  const lines = [`${paint('red', 'failed')} ${paint('bold', oneLine(failure.extension))}  ${failure.code}${place}`, ''];
  lines.push(...indent(failure.message));
  if (failure.code_frame !== null) lines.push('', ...indent(failure.code_frame).map((line) => frameLine(line, paint)));
  if (failure.hint !== '') lines.push('', ...indent(failure.hint).map((line) => paint('dim', line)));
  const output = failure.output?.trim() ?? '';
  if (output !== '') lines.push('', `  ${paint('dim', 'Output:')}`, ...indent(output, '    '));
  return `${lines.join('\n')}\n`;
}

function placeOf({ file, line, column }: Failure, folder: string): string {
  const position = line === null ? '' : `:${line}${column === null ? '' : `:${column}`}`;
  return `${folder}/${file ?? ''}${position}`;
}

function frameLine(line: string, paint: Paint): string {
  if (line.startsWith('  >')) return paint('bold', line);
  return /^ *\| *\^$/.test(line) ? paint('red', line) : paint('dim', line);
}

function summary(report: CheckReport, folder: string, paint: Paint): string {
  if (report.extensions.length === 0) return `No extensions in ${oneLine(folder)}.`;
  const count = (state: Extension['state']): number => report.extensions.filter((extension) => extension.state === state).length;
  const failed = report.extensions.length - count('ready') - count('excluded') - count('disabled') - count('degraded');
  const states = [
    [count('ready'), 'ready'],
    [failed, 'failed'],
    [count('degraded'), 'degraded'],
    [count('excluded'), 'excluded'],
    [count('disabled'), 'disabled'],
  ] as const;
  const words = states.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`])).join(', ');
  const verdict = report.ok ? paint('green', 'ok') : paint('red', 'not ok');
  const advice = report.warnings.length === 0 ? '' : `, ${plural(report.warnings.length, 'warning')}`;
  const seconds = (report.duration_ms / 1_000).toFixed(1);
  return `${verdict}  ${plural(report.extensions.length, 'extension')}: ${words}; ${plural(report.tools.length, 'tool')}${advice} (${seconds} s)`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function indent(text: string, by = '  '): string[] {
  return text.split('\n').map((line) => (line === '' ? '' : by + escapeControl(line)));
}

function oneLine(text: string): string {
  return escapeControl(text);
}
