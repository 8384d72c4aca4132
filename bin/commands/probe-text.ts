import { findingInWords } from '#lib/contract/probe-rules.ts';
import type { ProbeReport } from '#lib/contract/probe.ts';
import { escapeControl } from '#lib/host/escape-control.ts';
import { annotation } from './check-annotations.ts';
import type { CommandContext } from './command.ts';

/** A report as text. Control characters from the tool are escaped. */
export function probeText({ tool, calls, seed, findings, complete, notes }: ProbeReport, { paint }: Pick<CommandContext, 'paint'>): string {
  const sum = `${paint('bold', tool)}  ${calls} ${calls === 1 ? 'call' : 'calls'}, seed ${seed}`;
  const said = notes.map((note) => `  ${escapeControl(note)}\n`).join('');
  if (findings.length === 0) return `${complete ? paint('green', 'ok') : paint('yellow', 'incomplete')}  ${sum}\n${said}`;
  const blocks = findings.map(({ kind, arguments: given, message, call_id: id }) => {
    const lines = escapeControl(JSON.stringify(given));
    return `${paint('red', kind)}  ${sum}\n\n  with ${lines}\n  ${message.split('\n').map(escapeControl).join('\n  ')}\n  call ${id}\n\n`;
  });
  return blocks.join('') + said;
}

/** As workflow commands of GitHub Actions. */
export function probeAnnotations({ tool, findings, complete, notes }: ProbeReport): string {
  const found = findings.map(({ kind, arguments: given, message }) =>
    annotation('error', { title: `${tool}: ${kind}` }, `${findingInWords(kind)}.\nWith ${JSON.stringify(given)}\n${message}`),
  );
  const said = complete ? [] : [annotation('warning', { title: `${tool}: incomplete` }, notes.join('\n'))];
  return [...found, ...said].map((line) => `${line}\n`).join('');
}
