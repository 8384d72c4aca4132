import { nearestName } from '#lib/schema/nearest-name.ts';
import { EXIT, CommandError, READER_GONE } from './command.ts';
import type { Command, CommandContext, ExitCode } from './command.ts';

/** Runs a command. An error is one line; a bug prints its stack. */
export async function runCommandLine(
  commands: readonly Command[],
  args: readonly string[],
  version: string,
  context: CommandContext,
): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') {
    await context.print(overview(commands, context));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version' || name === '-v') {
    await context.print(`${version}\n`);
    return EXIT.ok;
  }
  if (name === 'help') return runCommandLine(commands, rest[0] === undefined ? ['--help'] : [rest[0], '--help'], version, context);

  const command = commands.find((known) => known.name === name);
  if (command === undefined) {
    const names = commands.map((known) => known.name);
    const meant = nearestName(name, names);
    const advice = meant === null ? `Commands: ${names.join(', ')}.` : `Did you mean \`switchboard ${meant}\`?`;
    context.note(`switchboard: unknown command “${name}”. ${advice} \`switchboard --help\` explains them.`);
    return EXIT.usage;
  }
  const end = rest.indexOf('--');
  const before = end === -1 ? rest : rest.slice(0, end);
  if (before.includes('--help') || before.includes('-h')) {
    await context.print(command.help);
    return EXIT.ok;
  }
  try {
    const code = await command.run(rest, context);
    return code === EXIT.cancelled && hasEnough(context) ? EXIT.ok : code;
  } catch (error) {
    if (!(error instanceof CommandError)) return reportBug(error, context);
    if (error.exitCode === EXIT.cancelled && hasEnough(context)) return EXIT.ok;
    const more = error.exitCode === EXIT.usage ? ` See \`switchboard ${command.name} --help\`.` : '';
    context.note(`switchboard ${command.name}: ${error.message}${more}`);
    return error.exitCode;
  }
}

function hasEnough({ signal }: CommandContext): boolean {
  return signal.reason === READER_GONE;
}

/** An unexpected error, as opposed to a negative result. */
export function reportBug(thrown: unknown, context: Pick<CommandContext, 'note'>): ExitCode {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  context.note(`switchboard: Internal error.\n${text}`);
  return EXIT.bug;
}

function overview(commands: readonly Command[], context: CommandContext): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const list = commands.map((command) => `  ${context.paint('bold', command.name.padEnd(width))}  ${command.summary}`);
  return `${[
    'Operate the extensions of your agents from a terminal or a script.',
    '',
    'Usage: switchboard [command] [options]',
    '',
    ...list,
    '',
    '`switchboard <command> --help` shows what a command can do, with examples.',
  ].join('\n')}\n`;
}
