import type { Failure } from '#lib/contract/failure.ts';
import { PAGES } from '#lib/contract/paths.ts';

/** A failure as Markdown, for an issue or a message. */
export function failureAsMarkdown(failure: Failure): string {
  const location = locationOf(failure);
  const parts = [
    `### ${failure.extension}: ${failure.message}`,
    [
      `- code: \`${failure.code}\` (${failure.stage})`,
      location === null ? null : `- location: \`${location}\``,
      failure.revision === null ? null : `- revision: ${failure.revision}`,
      failure.instance === undefined ? null : `- instance: ${failure.instance}`,
      `- last seen: ${failure.last_seen}, ${failure.count} times`,
    ]
      .filter((line) => line !== null)
      .join('\n'),
    `**What to do:** ${failure.hint}`,
    ...(failure.failed_checks ?? []).map(
      ({ name, tool, expected, came }) =>
        `Check **${name}** of \`${tool}\` failed. Expected:\n\n${fenced(expected)}\n\n${came === null ? 'The tool was not called.' : `Actual:\n\n${fenced(came)}`}`,
    ),
    failure.code_frame === null ? null : fenced(failure.code_frame),
    failure.stack === null ? null : fenced(failure.stack),
    failure.output === null ? null : `Output:\n\n${fenced(failure.output)}`,
  ];
  return `${parts.filter((part) => part !== null).join('\n\n')}\n`;
}

/** Failed required checks with links. */
export function failedCheckItems({ failed_checks: checks = [] }: Failure) {
  return checks.map(({ saved_call_id: id, expected, came, ...check }) => ({
    ...check,
    href: PAGES.savedCall(check.tool, id),
    expected: formatted(expected),
    actual: came === null ? null : formatted(came),
  }));
}

/** Message without the list of failed checks, which is shown separately. */
export function messageBesideChecks({ message, failed_checks: checks }: Failure): string {
  return checks === undefined || checks.length < 2 ? message : (message.split('\n')[0] ?? '');
}

/** Formatted JSON; truncated JSON stays as it is. */
function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** `file:line:column`, as far as known. */
export function locationOf(failure: Failure): string | null {
  if (failure.file === null) return null;
  if (failure.line === null) return failure.file;
  return failure.column === null ? `${failure.file}:${failure.line}` : `${failure.file}:${failure.line}:${failure.column}`;
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
