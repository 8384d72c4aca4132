import { split } from 'shlex';
import { ToolError } from 'switchboard';

/** Splits as sh does: single and double quotes, backslashes. Expands nothing. */
export function splitCommand(command: string): readonly string[] {
  if (command.includes('\0'))
    throw new ToolError('`command` holds a NUL character, which no program can be given.', { kind: 'invalid_parameters' });
  try {
    return split(command);
  } catch {
    throw new ToolError(
      '`command` has a quote that is not closed, or ends in a backslash. Close it, or write a lone quote as \\" or \\\'.',
      {
        kind: 'invalid_parameters',
      },
    );
  }
}

const OPERATORS = /\|\|?|&&?|;|\d?>>?|<<?/;
const EXPANSIONS = /\$(?:[A-Za-z_]\w*|\{\w*\}?|\()|`/;
const WILDCARDS = /(?:^|\s)~(?:\/|\s|$)|[*?]/;

/** A note about shell syntax in the command, which has no effect here; null without any. */
export function shellSyntaxNote(command: string): string | null {
  const unquoted = command.replaceAll(/\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g, '_');
  const open = command.replaceAll(/\\[^]|'[^']*'/g, '_');
  const found = [OPERATORS.exec(unquoted), EXPANSIONS.exec(open), WILDCARDS.exec(unquoted)].flatMap((match) =>
    match === null ? [] : [match[0].trim()],
  );
  if (found.length === 0) return null;
  const shown = found.map((text) => `\`${text}\``).join(', ');
  return `There is no shell: ${shown} was passed to the program as it stands. Make separate calls, or write the words out.`;
}
