import { parseExactJson } from '#lib/contract/exact-json.ts';
import { isSecretName, mayNameSecret, REDACTED } from '#lib/contract/secret-names.ts';
import { holdsSecretText } from '#lib/contract/secret-texts.ts';
import { secretPlace } from '#lib/contract/secret-places.ts';
import type { JsonSchema, Tool } from '#lib/contract/tool.ts';
import { coerceArguments } from './coerce-arguments.ts';
import { type CommandPair, parseCommand, type ParsedCommand } from './parse-command.ts';

/**
 * A command as written and as stored: secrets of a call are replaced before its first copy, so its message must not keep them
 * either. What can go wrong:
 * - the tool is unknown: only names identify secrets;
 * - the arguments cannot be parsed: the boundaries of a secret are unknown, so all of them are removed.
 */
export interface WrittenCommand {
  readonly parsed: Exclude<ParsedCommand, { kind: 'text' }>;
  /** The text without secrets. */
  readonly kept: string;
  /** Arguments that replies must not repeat. */
  readonly hidden: ReadonlySet<string>;
  /** Removes the secrets from texts that may repeat them. */
  clean(text: string): string;
}

/** JSON text without secrets, their pointers, and a function that removes them from other texts. */
export type RedactArguments = (
  args: Readonly<Record<string, unknown>>,
  parameters: JsonSchema,
) => { readonly text: string; readonly paths: readonly string[]; clean(text: string): string };

export interface CommandKnowledge {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Whether commands are enabled; otherwise a text with a slash is a text. */
  readonly isOn: boolean;
  readonly redactArguments: RedactArguments;
}

/** Null: not a command. */
export function readCommand(text: string, { tools, isOn, redactArguments }: CommandKnowledge): WrittenCommand | null {
  const parsed = parseCommand(text);
  if (parsed.kind === 'text') return null;
  const asWritten: WrittenCommand = { parsed, kept: text, hidden: new Set(), clean: (said) => said };
  const { name } = parsed;
  const tool = tools.get(name);
  if (parsed.kind === 'wrong' || parsed.kind === 'words') {
    const isHelp = tool === undefined && (name === 'help' || name === 'start');
    if (!isOn || isHelp || !(mayNameSecret(text.trim().slice(name.length + 1)) || holdsSecretText(text) || takesSecrets(tool)))
      return asWritten;
    const message = `The arguments of ${name} could not be read. They may contain a secret, so they are neither repeated here nor stored. Write them as /${name} key=value or as /${name} {"key": "value"}.`;
    return { ...asWritten, parsed: { kind: 'wrong', name, message }, kept: `/${name} ${REDACTED}` };
  }
  const parameters = tool?.parameters ?? {};
  const args = parsed.kind === 'json' ? parsed.args : argumentsOf(parsed.pairs, parameters);
  const redaction = redactArguments(args, parameters);
  if (redaction.paths.length === 0) return asWritten;
  const hidden = new Set(redaction.paths.map((path) => path.split('/')[1] ?? ''));
  const written = parsed.kind === 'json' ? redaction.text : parsed.pairs.map((pair) => writtenPair(pair, hidden)).join(' ');
  return { parsed, kept: `/${name} ${written}`, hidden, clean: (said) => redaction.clean(said) };
}

function takesSecrets(tool: Tool | undefined): boolean {
  if (tool === undefined) return false;
  const { properties } = tool.parameters;
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return names.some((name) => isSecretName(name)) || secretPlace([tool.parameters]) !== null;
}

/** As passed to the tool, including arguments that it will reject. */
function argumentsOf(pairs: readonly CommandPair[], parameters: JsonSchema): Readonly<Record<string, unknown>> {
  const coerced = coerceArguments(pairs, parameters);
  if (coerced.ok) return coerced.args;
  return Object.fromEntries(
    [...Map.groupBy(pairs, ({ key }) => key)].map(([key, given]) => {
      const values = given.map(looseValue);
      return [key, values.length === 1 ? values[0] : values];
    }),
  );
}

function looseValue({ value, isQuoted }: CommandPair): unknown {
  if (isQuoted || !/^[[{]/.test(value)) return value;
  try {
    return parseExactJson(value);
  } catch {
    return value;
  }
}

function writtenPair({ key, value, isQuoted }: CommandPair, hidden: ReadonlySet<string>): string {
  if (hidden.has(key)) return `${key}=${REDACTED}`;
  return `${key}=${isQuoted ? JSON.stringify(value) : value}`;
}
