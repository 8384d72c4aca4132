import type { Call } from '#lib/contract/call.ts';
import type { ChannelCommands } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { Tool } from '#lib/contract/tool.ts';

/** The texts that answer commands. They are read by people in a chat, so they are plain and short. */

const ALL = '*';
const DESCRIPTION_CHARACTERS = 120;

/** A destructive tool is never meant by `*`: somebody must have named it. */
export function isAllowed(tool: Tool, { tools }: ChannelCommands): boolean {
  return tools.includes(tool.name) || (tools.includes(ALL) && tool.annotations.destructiveHint !== true);
}

export function helpText(tools: readonly Tool[]): string {
  if (tools.length === 0) return 'No tools can be called from this channel. Which ones may be is set on its page in the dashboard.';
  const lines = tools.map((tool) => `/${tool.name}: ${oneLine(tool.description) || tool.label}`);
  return [...lines, '', 'Arguments: /tool key=value other="a text", or /tool {"key": "value"}. /help <tool> tells what a tool takes.'].join(
    '\n',
  );
}

export function helpOnTool(tool: Tool): string {
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

export function unknownTool(name: string, nearest: readonly string[]): string {
  const near = nearest.length === 0 ? '' : ` Did you mean ${nearest.map((each) => `/${each}`).join(' or ')}?`;
  return `There is no tool called ${name} here.${near} /help lists those that can be called.`;
}

export function notAllowed(tool: Tool, commands: ChannelCommands): string {
  const isDestructive = tool.annotations.destructiveHint === true && commands.tools.includes(ALL);
  const why = isDestructive
    ? 'it may destroy something, so * does not include it and it must be named'
    : 'it is not among the allowed tools';
  return `${tool.name} cannot be called from this channel: ${why}. The allowed tools are set on the page of the channel.`;
}

export function resultText(call: Call): string {
  if (call.status === 'succeeded') return cut(readable(call.result), call.id);
  const { error } = call;
  const issues = error?.issues?.map((issue) => `  ${issue.path || '(arguments)'} ${issue.message}`) ?? [];
  const said = error?.message ?? `The call ended as ${call.status}.`;
  const about =
    issues.length > 0 ? [`${call.tool} was not run: the arguments do not fit.`, ...issues, `/help ${call.tool} tells what it takes.`] : [];
  return cut(about.length > 0 ? about.join('\n') : `${call.tool} failed: ${said}`, call.id);
}

function readable(result: unknown): string {
  if (result === null || result === undefined) return 'Done. There is no result.';
  if (typeof result === 'string') return result === '' ? 'Done. The result is an empty text.' : result;
  const texts = contentTexts(result);
  return texts ?? JSON.stringify(result, null, 2);
}

/** An MCP result whose content is texts alone reads better as these. */
function contentTexts(result: object | number | boolean | bigint | symbol): string | null {
  const content: unknown = typeof result === 'object' ? Reflect.get(result, 'content') : undefined;
  if (!Array.isArray(content) || content.length === 0) return null;
  const texts = content.map((item: unknown) => (textOf(item, 'type') === 'text' ? textOf(item, 'text') : null));
  return texts.every((text) => text !== null) ? texts.join('\n') : null;
}

function cut(text: string, callId: string): string {
  if (text.length <= LIMITS.replyLength) return text;
  const left = text.length - LIMITS.replyLength;
  return `${text.slice(0, LIMITS.replyLength).toWellFormed()}…\n(${left.toLocaleString('en')} more characters: see the whole result at ${PAGES.call(callId)} in the dashboard)`;
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
