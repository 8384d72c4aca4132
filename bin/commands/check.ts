import path from 'node:path';
import { githubAnnotations } from './check-annotations.ts';
import { createReport } from './check-report.ts';
import { EXIT, wrongUsage } from './command.ts';
import type { Command, Style } from './command.ts';
import { extensionsFolder, openTemporaryHost } from './command-host.ts';
import { jsonText } from './json-text.ts';
import { readOptions } from './read-options.ts';
import type { Extension } from '#lib/contract/extension.ts';
import type { Failure } from '#lib/contract/failure.ts';
import { escapeControl } from '#lib/host/escape-control.ts';
import type { CheckReport } from './check-report.ts';

export const checkCommand: Command = {
  name: 'check',
  summary: 'Load every extension as the server does, and show failures',
  help: `Loads every extension of a folder as the server does, in separate processes, and prints failures with code frames, and
warnings. Nothing is called or stored.

Usage: switchboard check [folder] [--install] [--strict] [--json | --github]

  folder     extensions folder; EXTENSIONS_DIR or \`extensions\` by default
  --install  installs declared packages that are missing
  --strict   warnings are failures
  --json     one JSON object: {ok, folder, duration_ms, extensions, tools, failures, warnings}
  --github   also print annotations for GitHub Actions

Exit codes: 0 no failure, 1 an extension failed, 2 invalid command line, 3 not checked.

  switchboard check
  switchboard check ../team-extensions --strict
  switchboard check --json | jq -r '.failures[] | "\\(.file):\\(.line) \\(.code)"'
`,

  async run(args, context) {
    const { values, positionals } = readOptions(args, {
      install: { type: 'boolean' },
      strict: { type: 'boolean' },
      json: { type: 'boolean' },
      github: { type: 'boolean' },
    });
    if (positionals.length > 1) throw wrongUsage(`Name one folder; you named ${positionals.length}.`);
    if (values.json && values.github) throw wrongUsage('--json and --github cannot be used together.');
    const folder = extensionsFolder(context, positionals[0]);

    const beganAt = performance.now();
    const opened = await openTemporaryHost(context, folder, values.install === true);
    try {
      const report = createReport(opened.host, folder, Math.round(performance.now() - beganAt), values.strict === true);
      if (values.json) await context.print(`${jsonText(report, 2)}\n`);
      else {
        const shown = path.relative(context.cwd, folder) || '.';
        const text = checkText(report, shown, (style, words) => context.paint(style, words));
        await context.print(values.github ? githubAnnotations(report, context.env['GITHUB_WORKSPACE'] ?? context.cwd, text) : text);
      }
      return report.ok ? EXIT.ok : EXIT.failed;
    } finally {
      await opened.close();
    }
  },
};

type Paint = (style: Style, text: string) => string;

/**
 * A check as text: failures with code frames, warnings and a summary line. Control characters are escaped, because
 * extensions provide the texts.
 */
function checkText(report: CheckReport, folder: string, paint: Paint): string {
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
