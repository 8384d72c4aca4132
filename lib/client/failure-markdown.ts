import type { Failure } from '#lib/contract/failure.ts';

/** A failure as Markdown, for an issue or a message to somebody. */
export function failureAsMarkdown(failure: Failure): string {
  const where = placeOf(failure);
  const parts = [
    `### ${failure.extension}: ${failure.message}`,
    [
      `- code: \`${failure.code}\` (${failure.stage})`,
      where === null ? null : `- place: \`${where}\``,
      failure.revision === null ? null : `- revision: ${failure.revision}`,
      `- last seen: ${failure.last_seen}, ${failure.count} times`,
    ]
      .filter((line) => line !== null)
      .join('\n'),
    `**What to do:** ${failure.hint}`,
    failure.code_frame === null ? null : fenced(failure.code_frame),
    failure.stack === null ? null : fenced(failure.stack),
    failure.output === null ? null : `Printed:\n\n${fenced(failure.output)}`,
  ];
  return `${parts.filter((part) => part !== null).join('\n\n')}\n`;
}

/** `file:line:column` as far as it is known. */
export function placeOf(failure: Failure): string | null {
  if (failure.file === null) return null;
  if (failure.line === null) return failure.file;
  return failure.column === null ? `${failure.file}:${failure.line}` : `${failure.file}:${failure.line}:${failure.column}`;
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
