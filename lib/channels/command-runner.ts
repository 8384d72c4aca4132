import type { Call } from '#lib/contract/call.ts';
import { callSchema } from '#lib/contract/call.ts';
import type { ChannelCommands, Message } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { coerceArguments } from './coerce-arguments.ts';
import { helpOnTool, helpText, isAllowed, notAllowed, resultText, unknownTool } from './command-replies.ts';
import type { ParsedCommand } from './parse-command.ts';
import { parseCommand } from './parse-command.ts';

/**
 * Turns texts that came in into calls, and their ends into replies. A few run at a time, in order of arrival; replies to one sender
 * go out in the order of the commands, however long each takes.
 *
 * What can go wrong: what was written is no command of ours (answered with what would be right); too many wait (said, not run); the
 * host stops (running calls are ended as cancelled, and the reply that says so waits in the queue for the next start).
 */
export interface CommandRunner {
  /** Returns at once. */
  take(message: Message): void;
  /** Resolves when every command taken has been answered. */
  settled(): Promise<void>;
}

export interface CommandRunnerOptions {
  commands(): ChannelCommands;
  tools(): ReadonlyMap<string, Tool>;
  startCall(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    message: Message,
  ): Promise<Result<{ readonly id: string; readonly finished: Promise<string> }>>;
  nearestName(written: string, names: Iterable<string>): string | null;
  reply(message: Message, text: string, callId: string | null): Promise<void>;
  note(message: Message, callId: string | null, error: string | null): Promise<void>;
  onError(error: unknown): void;
}

interface Answer {
  readonly text: string;
  readonly callId: string | null;
}

export function createCommandRunner(options: CommandRunnerOptions): CommandRunner {
  /** The last reply to each sender that is not out yet. */
  const replies = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    if (running >= LIMITS.commandsAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  async function answer(message: Message, parsed: Exclude<ParsedCommand, { kind: 'text' }>): Promise<Answer> {
    const commands = options.commands();
    const tools = options.tools();
    const allowed = [...tools.values()].filter((tool) => tool.available && isAllowed(tool, commands));
    const tool = tools.get(parsed.name);
    if (parsed.name === 'help' || (parsed.name === 'start' && tool === undefined)) return { text: help(parsed, allowed), callId: null };
    if (tool === undefined) return refused(message, unknownTool(parsed.name, nearest(parsed.name, allowed)));
    if (!isAllowed(tool, commands)) return refused(message, notAllowed(tool, commands));
    if (parsed.kind === 'wrong') return refused(message, parsed.message);
    if (parsed.kind === 'words')
      return refused(
        message,
        `“${parsed.words.slice(0, 80)}” is no key=value pair. Arguments are written as /${tool.name} key=value or /${tool.name} {"key": "value"}.`,
      );
    const coerced = parsed.kind === 'json' ? { ok: true as const, args: parsed.args } : coerceArguments(parsed.pairs, tool.parameters);
    if (!coerced.ok) return refused(message, `${coerced.message} /help ${tool.name} tells what it takes.`);
    const started = await options.startCall(tool.name, coerced.args, message);
    if (!started.ok) return refused(message, started.problem.detail);
    await options.note(message, started.value.id, null);
    const call: Call = callSchema.parse(JSON.parse(await started.value.finished));
    return { text: resultText(call), callId: call.id };
  }

  async function refused(message: Message, text: string): Promise<Answer> {
    await options.note(message, null, text);
    return { text, callId: null };
  }

  function help(parsed: ParsedCommand, allowed: readonly Tool[]): string {
    const name = parsed.kind === 'words' ? parsed.words.replace(/^\//, '') : '';
    const tool = allowed.find((each) => each.name === name);
    if (tool !== undefined) return helpOnTool(tool);
    return name === '' ? helpText(allowed) : unknownTool(name, nearest(name, allowed));
  }

  function nearest(name: string, allowed: readonly Tool[]): string[] {
    const names = allowed.map((tool) => tool.name);
    const first = options.nearestName(name, names);
    const starts = names.filter((each) => each !== first && each.startsWith(name)).slice(0, 2);
    return first === null ? starts : [first, ...starts];
  }

  return {
    take(message) {
      if (!options.commands().enabled) return;
      const parsed = parseCommand(message.text);
      if (parsed.kind === 'text') return;
      const answered =
        waiting.length >= LIMITS.commandsWaiting
          ? refused(message, 'Too many commands are waiting, so this one was not run. Send it again in a moment.')
          : inTurn(() => answer(message, parsed));
      // Told below, when its turn has come.
      answered.catch(() => undefined);
      const before = replies.get(message.sender) ?? Promise.resolve();
      const replied = before
        .then(() => answered)
        .then(({ text, callId }) => options.reply(message, text, callId))
        .catch(options.onError)
        .finally(() => {
          if (replies.get(message.sender) === replied) replies.delete(message.sender);
        });
      replies.set(message.sender, replied);
    },
    async settled() {
      await Promise.all(replies.values());
    },
  };
}
