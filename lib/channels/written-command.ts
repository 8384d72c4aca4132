import { parseExactJson } from '#lib/contract/exact-json.ts';
import { isSecretName, mayNameSecret, REDACTED } from '#lib/contract/secret-names.ts';
import { holdsSecretText } from '#lib/contract/secret-texts.ts';
import { secretPlace } from '#lib/contract/secret-places.ts';
import type { JsonSchema, Tool } from '#lib/contract/tool.ts';
import { coerceArguments } from './coerce-arguments.ts';
import { parseCommand } from './parse-command.ts';
import type { CommandPair, ParsedCommand } from './parse-command.ts';

/**
 * A command as it was written, and as it may be kept: the call has its secrets replaced before its first copy, so the message that
 * asks for it must not keep them either. What can go wrong: nobody knows the tool (then names alone tell), or what was written
 * cannot be read as arguments (then nothing tells where a secret begins and ends, and all of it is left out).
 */
export interface WrittenCommand {
  readonly parsed: Exclude<ParsedCommand, { kind: 'text' }>;
  /** The text of the message without secrets. */
  readonly kept: string;
  /** Arguments that are not repeated in an answer. */
  readonly hidden: ReadonlySet<string>;
  /** Cuts the secrets out of a text that may repeat them. */
  clean(text: string): string;
}

/** JSON text without secrets, where these were, and what cuts them out of other texts. */
export type RedactArguments = (
  args: Readonly<Record<string, unknown>>,
  parameters: JsonSchema,
) => { readonly text: string; readonly paths: readonly string[]; clean(text: string): string };

export interface CommandKnowledge {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Whether commands are run here: where they are not, a text with a slash is a text. */
  readonly isOn: boolean;
  readonly redactArguments: RedactArguments;
}

/** Null: the text is no command. */
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
    const message = `The arguments of ${name} could not be read. They may hold a secret, so they are neither repeated here nor kept. Write them as /${name} key=value or as /${name} {"key": "value"}.`;
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

/** As the tool is given them; what it will refuse is looked at as well. */
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
