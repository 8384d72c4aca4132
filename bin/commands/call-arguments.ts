import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { JsonSchema } from '#lib/contract/tool.ts';
import { wrongUsage } from './command.ts';
import type { CommandContext } from './command.ts';

/**
 * Call arguments from the command line: one JSON object, `-` (stdin), `@file`, or `name=value` pairs. A value is parsed as
 * JSON unless the tool expects a string there: `zip=01234` and `note=true` stay text.
 */
export async function readCallArguments(
  words: readonly string[],
  parameters: JsonSchema,
  context: CommandContext,
): Promise<Readonly<Record<string, unknown>>> {
  const [first, ...rest] = words;
  if (first === undefined) return {};
  if (first === '-' || first.startsWith('{') || first.startsWith('@')) {
    if (rest.length > 0) throw wrongUsage(`After ${first === '-' ? '-' : 'the JSON object'} nothing may follow, but “${rest[0]}” does.`);
    if (first.startsWith('{')) return readObject(first, 'The argument');
    const what = first === '-' ? 'stdin' : first;
    return readObject(textOf(first === '-' ? await buffer(context.stdin) : await readArgumentsFile(first.slice(1), context), what), what);
  }
  const given: Record<string, unknown> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw wrongUsage(`“${word}” is not an argument. Write one JSON object, such as '{"city": "Oslo"}', or city=Oslo for each.`);
    const name = word.slice(0, at);
    if (Object.hasOwn(given, name)) throw wrongUsage(`The argument ${name} is given twice.`);
    Object.defineProperty(given, name, { value: readValue(word.slice(at + 1), name, parameters), enumerable: true });
  }
  return given;
}

function readValue(text: string, name: string, parameters: JsonSchema): unknown {
  if (wantsText(parameters, name)) return text;
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

const propertiesSchema = z.looseObject({ properties: z.record(z.string(), z.looseObject({ type: z.unknown() })) });

function wantsText(parameters: JsonSchema, name: string): boolean {
  const parsed = propertiesSchema.safeParse(parameters);
  return parsed.success && Object.hasOwn(parsed.data.properties, name) && parsed.data.properties[name]?.type === 'string';
}

function readObject(text: string, what: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    throw wrongUsage(`${what} is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`);
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (parsed.success && !Array.isArray(value)) return parsed.data;
  throw wrongUsage(
    `${what} is ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}; the arguments are an object, such as {"city": "Oslo"}.`,
  );
}

/** Decoded at once, because a chunk may end inside a character. PowerShell and editors add a byte order mark. */
function textOf(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw wrongUsage(`${what} is not UTF-8.`);
  }
}

async function readArgumentsFile(name: string, context: CommandContext): Promise<Buffer> {
  try {
    return await readFile(path.resolve(context.cwd, name));
  } catch {
    throw wrongUsage(`The file “${name}” cannot be read. Write @ and the path of a file with a JSON object.`);
  }
}
