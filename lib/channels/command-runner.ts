import { type Call, callSchema } from '#lib/contract/call.ts';
import type { ChannelCommands, Message } from '#lib/contract/channel.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { isDestructive } from '#lib/contract/tool-hints.ts';
import { mayNameSecret } from '#lib/contract/secret-names.ts';
import { coerceArguments } from './coerce-arguments.ts';
import type { ParsedCommand } from './parse-command.ts';
import type { WrittenCommand } from './written-command.ts';
import { PAGES } from '#lib/contract/paths.ts';

/**
 * Turns inbound messages into calls, and their results into replies. A few run at a time in order of arrival; replies to one
 * sender keep the order of the commands.
 *
 * What can go wrong:
 * - the command is unknown or invalid: the reply has the correct form;
 * - too many wait: rejected with a reply;
 * - the host stops: running calls are cancelled, and the reply waits in the queue for the next start.
 */
export interface CommandRunner {
  /** Returns immediately. */
  take(message: Message, command: WrittenCommand): void;
  /** Resolves when every accepted command has a reply. */
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
  /** The recorded call; null if not on record. */
  record(callId: string): Promise<Call | null>;
  reply(message: Message, answer: CommandAnswer): Promise<void>;
  note(message: Message, callId: string | null, error: string | null): Promise<void>;
  onError(error: unknown): void;
}

export interface CommandAnswer {
  readonly text: string;
  /** The text without secrets. */
  readonly kept: string;
  readonly callId: string | null;
}

export function createCommandRunner(options: CommandRunnerOptions): CommandRunner {
  /** Last pending reply per sender. */
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

  async function answer(message: Message, command: WrittenCommand): Promise<CommandAnswer> {
    const { parsed } = command;
    const refuse = (text: string): Promise<CommandAnswer> => refused(message, command.clean(text));
    const commands = options.commands();
    const tools = options.tools();
    const allowed = [...tools.values()].filter((tool) => tool.available && isAllowed(tool, commands));
    const tool = tools.get(parsed.name);
    if (parsed.name === 'help' || (parsed.name === 'start' && tool === undefined)) return plainAnswer(help(parsed, allowed));
    if (tool === undefined) return refuse(unknownTool(parsed.name, nearest(parsed.name, allowed)));
    if (!isAllowed(tool, commands)) return refuse(notAllowed(tool, commands));
    if (parsed.kind === 'wrong') return refuse(parsed.message);
    if (parsed.kind === 'words')
      return refuse(
        `“${parsed.words.slice(0, 80)}” is not a key=value pair. Arguments are written as /${tool.name} key=value or /${tool.name} {"key": "value"}.`,
      );
    const coerced =
      parsed.kind === 'json' ? { ok: true as const, args: parsed.args } : coerceArguments(parsed.pairs, tool.parameters, command.hidden);
    if (!coerced.ok) return refuse(`${coerced.message} /help ${tool.name} shows its arguments.`);
    const started = await options.startCall(tool.name, coerced.args, message);
    if (!started.ok) return refuse(started.problem.detail);
    await options.note(message, started.value.id, null);
    const json = await started.value.finished;
    const text = resultText(callSchema.parse(parseExactJson(json)));
    if (command.hidden.size === 0 && !mayNameSecret(json)) return { text, kept: text, callId: started.value.id };
    // The sender gets the unredacted result; the stored reply has the one of the history.
    const recorded = await options.record(started.value.id);
    const kept =
      recorded === null
        ? 'The result is not stored: it may contain a secret, and the call is no longer in the history.'
        : resultText(recorded);
    return { text, kept, callId: started.value.id };
  }

  async function refused(message: Message, text: string): Promise<CommandAnswer> {
    await options.note(message, null, text);
    return plainAnswer(text);
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
    take(message, command) {
      if (!options.commands().enabled) return;
      const answered =
        waiting.length >= LIMITS.commandsWaiting
          ? refused(message, 'Too many commands are waiting, so this one was not run. Send it again in a moment.')
          : inTurn(() => answer(message, command));
      // Reported below, in its turn.
      answered.catch(() => undefined);
      const before = replies.get(message.sender) ?? Promise.resolve();
      const replied = before
        .then(() => answered)
        .then((said) => options.reply(message, said))
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

function plainAnswer(text: string): CommandAnswer {
  return { text, kept: text, callId: null };
}

/** Reply texts, plain and short for chats. */

const ALL = '*';
const DESCRIPTION_CHARACTERS = 120;

/** `*` never includes a destructive tool: it must be named. */
function isAllowed(tool: Tool, { tools }: ChannelCommands): boolean {
  return tools.includes(tool.name) || (tools.includes(ALL) && !isDestructive(tool));
}

function helpText(tools: readonly Tool[]): string {
  if (tools.length === 0) return 'No tools are allowed in this channel. Allow tools on its page in the dashboard.';
  const lines = tools.map((tool) => `/${tool.name}: ${oneLine(tool.description) || tool.label}`);
  return [...lines, '', 'Arguments: /tool key=value other="a text", or /tool {"key": "value"}. /help <tool> shows its arguments.'].join(
    '\n',
  );
}

function helpOnTool(tool: Tool): string {
  const properties = entriesOf(tool.parameters['properties']);
  const required = tool.parameters['required'];
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  const lines = properties.map(([name, schema]) => {
    const type = textOf(schema, 'type');
    const about = oneLine(textOf(schema, 'description'));
    const facts = [type, isRequired(name) ? 'required' : ''].filter((fact) => fact !== '').join(', ');
    return `  ${name}${facts === '' ? '' : ` (${facts})`}${about === '' ? '' : `: ${about}`}`;
  });
  const takes = lines.length === 0 ? ['It takes no arguments.'] : ['Arguments:', ...lines];
  return [`/${tool.name}: ${tool.description.trim() || tool.label}`, ...takes].join('\n');
}

function unknownTool(name: string, nearest: readonly string[]): string {
  const near = nearest.length === 0 ? '' : ` Did you mean ${nearest.map((each) => `/${each}`).join(' or ')}?`;
  return `There is no tool ${name} here.${near} /help lists the allowed tools.`;
}

function notAllowed(tool: Tool, commands: ChannelCommands): string {
  const isLeftOut = isDestructive(tool) && commands.tools.includes(ALL);
  const why = isLeftOut ? 'it is destructive, so * does not include it and it must be named' : 'it is not among the allowed tools';
  return `${tool.name} cannot be called from this channel: ${why}. The allowed tools are set on the page of the channel.`;
}

function resultText(call: Call): string {
  if (call.status === 'succeeded') return cut(readable(call.result), call.id);
  const { error } = call;
  const issues = error?.issues?.map((issue) => `  ${issue.path || '(arguments)'} ${issue.message}`) ?? [];
  const said = error?.message ?? `The call ended as ${call.status}.`;
  const about =
    issues.length > 0 ? [`${call.tool} was not run: invalid arguments.`, ...issues, `/help ${call.tool} shows its arguments.`] : [];
  return cut(about.length > 0 ? about.join('\n') : `${call.tool} failed: ${said}`, call.id);
}

function readable(result: unknown): string {
  if (result === null || result === undefined) return 'Done. There is no result.';
  if (typeof result === 'string') return result === '' ? 'Done. The result is an empty text.' : result;
  const texts = contentTexts(result);
  return texts ?? JSON.stringify(result, null, 2);
}

/** An MCP result with only text content is sent as its texts. */
function contentTexts(result: object | number | boolean | bigint | symbol): string | null {
  const content: unknown = typeof result === 'object' ? Reflect.get(result, 'content') : undefined;
  if (!Array.isArray(content) || content.length === 0) return null;
  const texts = content.map((item: unknown) => (textOf(item, 'type') === 'text' ? textOf(item, 'text') : null));
  return texts.every((text) => text !== null) ? texts.join('\n') : null;
}

function cut(text: string, callId: string): string {
  if (text.length <= LIMITS.replyLength) return text;
  const left = text.length - LIMITS.replyLength;
  return `${text.slice(0, LIMITS.replyLength).toWellFormed()}…\n(${left.toLocaleString('en')} more characters; full result: ${PAGES.call(callId)})`;
}

function oneLine(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? '';
  return line.length <= DESCRIPTION_CHARACTERS ? line : `${line.slice(0, DESCRIPTION_CHARACTERS).toWellFormed()}…`;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function textOf(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? found : '';
}
