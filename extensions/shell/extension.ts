import { ToolError } from 'switchboard';
import type { Tool, ToolContext } from 'switchboard';
import { shellSyntaxNote, splitCommand } from './command-words.ts';
import { runProgram } from './run-program.ts';
import type { Program, ProgramOutcome } from './run-program.ts';
import { findWorkingDirectory } from './working-directory.ts';
import type { WorkingDirectory } from './working-directory.ts';

export const DESCRIPTION = 'Runs programs of this machine inside the workspace.';

export const INSTRUCTIONS = [
  'Give one program and its arguments, as in `git log -n 3`. There is no shell: pipes, redirections, `&&`, variables and wildcards are',
  'passed to the program as plain words. Make separate calls instead, or name a script file. Nothing can be typed into a running program.',
].join(' ');

interface Args {
  command: string;
  cwd: string;
  timeout_seconds: number;
  max_output_chars: number;
}

export const TOOL: Tool<Args> = {
  label: 'shell',
  name: 'run_shell_command',
  description:
    'Run one program in the workspace and answer its exit code and output. The command is split into words (quotes and backslashes as in sh) and started without a shell.',
  parameters: {
    command: {
      type: 'string',
      required: true,
      minLength: 1,
      maxLength: 32_768,
      description: 'The program and its arguments, for example: git log -n 3 "--format=%h %s"',
    },
    cwd: { type: 'string', default: '.', description: 'Folder to run in: relative to the workspace, or an absolute path inside it.' },
    timeout_seconds: {
      type: 'integer',
      default: 20,
      minimum: 1,
      maximum: 120,
      description: 'Seconds until the program and its child processes are ended.',
    },
    max_output_chars: {
      type: 'integer',
      default: 6000,
      minimum: 1,
      maximum: 20_000,
      description: 'Maximum number of characters of stdout, and of stderr. Longer output loses its middle.',
    },
  },
  annotations: { title: 'Run a command', readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  // Longer than the longest timeout_seconds, so that the tool ends the program and returns its output.
  timeout_ms: 130_000,
  examples: [{ command: 'ls -la' }, { command: 'git log -n 3 "--format=%h %s"' }, { command: 'node --version', timeout_seconds: 5 }],

  async execute(args, ctx) {
    return execute(args, ctx);
  },
};

async function execute(args: Args, ctx: ToolContext) {
  const [program, ...words] = splitCommand(args.command);
  if (program === undefined || program === '')
    throw new ToolError('`command` names no program. Give one, for example: ls -la', { kind: 'invalid_parameters' });
  const cwd = await findWorkingDirectory(ctx.workspace_root, args.cwd);
  const syntax = shellSyntaxNote(args.command);
  const outcome = await runIn(cwd, {
    program,
    words,
    timeoutMs: args.timeout_seconds * 1000,
    maxChars: args.max_output_chars,
    signal: ctx.signal,
  });
  if (outcome.kind === 'not_started') throw new ToolError(syntax === null ? outcome.message : `${outcome.message} ${syntax}`);

  const { stdout, stderr } = outcome;
  const notes = [
    outcome.timedOut ? `It did not end within ${args.timeout_seconds} s; it and all it started were ended.` : null,
    outcome.leftBehind ? 'It left processes behind that held its output open; they were ended.' : null,
    stdout.cut > 0 ? `${stdout.cut} characters of stdout were cut.` : null,
    stderr.cut > 0 ? `${stderr.cut} characters of stderr were cut.` : null,
    stdout.binary || stderr.binary ? 'Some of the output is not text; such bytes are shown as �.' : null,
    syntax,
  ].filter((note) => note !== null);

  return {
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    timed_out: outcome.timedOut,
    stdout: stdout.text,
    stderr: stderr.text,
    stdout_cut_chars: stdout.cut,
    stderr_cut_chars: stderr.cut,
    cwd: cwd.shown,
    notes,
  };
}

async function runIn(cwd: WorkingDirectory, program: Omit<Program, 'cwd'>): Promise<ProgramOutcome> {
  try {
    return await runProgram({ ...program, cwd: cwd.path });
  } finally {
    await cwd.close();
  }
}
