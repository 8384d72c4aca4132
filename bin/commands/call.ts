import { randomUUID } from 'node:crypto';
import type { Call } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { callText } from './call-text.ts';
import { findCallee, findTool } from './callee.ts';
import { EXIT, wrongUsage } from './command.ts';
import type { Command, ExitCode, CommandContext } from './command.ts';
import { jsonText } from './json-text.ts';
import { readNumber, readOptions } from './read-options.ts';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { JsonSchema } from '#lib/contract/tool.ts';

const EXITS: Readonly<Record<Call['status'], ExitCode>> = {
  running: EXIT.unavailable,
  succeeded: EXIT.ok,
  failed: EXIT.failed,
  timed_out: EXIT.timedOut,
  cancelled: EXIT.cancelled,
};

export const callCommand: Command = {
  name: 'call',
  summary: 'Call a tool and print its result',
  help: `Calls a tool and prints its result: text unchanged, anything else as JSON. The call is recorded with source \`cli\`.
It uses a running server and retries if that is busy; without a server it loads the extensions for this call.

Usage: switchboard call <tool> ['<json>' | - | @file | name=value …] [options]

  '<json>'       the arguments as one JSON object; - reads it from stdin, @file from a file
  name=value     one argument; the value is parsed as JSON unless the tool expects a string
  --url URL      the server; SWITCHBOARD_URL, or http://HOST:PORT (http://127.0.0.1:3000) by default
  --alone        use no server
  --dir FOLDER   extensions folder, without a server; EXTENSIONS_DIR or \`extensions\` by default
  --timeout S    timeout in seconds
  --revision N   revision of the extension to call
  --actor NAME   caller's name in the history
  --logs         print the call's logs to stderr
  --json         print the complete call record

Exit codes: 0 succeeded, 1 failed, 124 timed out, 130 cancelled, 2 invalid command line, 3 not called.

  switchboard call get_weather city=Oslo days=2
  switchboard call convert_units '{"value": 3, "from": "km", "to": "mi"}'
  echo '{"city": "Oslo"}' | switchboard call get_weather - --json | jq .duration_ms
`,

  async run(args, context) {
    const { values, positionals } = readOptions(args, {
      url: { type: 'string' },
      alone: { type: 'boolean' },
      dir: { type: 'string' },
      timeout: { type: 'string' },
      revision: { type: 'string' },
      actor: { type: 'string' },
      logs: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    const [name, ...words] = positionals;
    if (name === undefined) throw wrongUsage('Name a tool to call: `switchboard call get_weather city=Oslo`.');
    if (values.url !== undefined && (values.alone || values.dir !== undefined))
      throw wrongUsage('--url uses a server, --alone and --dir do not; use one of them.');
    const timeout = values.timeout === undefined ? undefined : readNumber('--timeout', values.timeout, 1, LIMITS.callTimeoutMostMs / 1_000);
    const revision = values.revision === undefined ? undefined : readNumber('--revision', values.revision, 1, 9_999_999_999);

    const isAlone = values.alone === true || values.dir !== undefined;
    const callee = await findCallee(context, { url: values.url, dir: values.dir, isAlone });
    try {
      const tool = findTool(name, await callee.tools());
      const call = await callee.call(name, {
        arguments: await readCallArguments(words, tool.parameters, context),
        timeoutMs: timeout === undefined ? undefined : timeout * 1_000,
        revision,
        actor: values.actor,
        key: randomUUID(),
      });
      if (values.logs) for (const line of callText.logs(call)) context.note(line);
      if (values.json) await context.print(`${jsonText(call, 2)}\n`);
      else if (call.status === 'succeeded') await context.print(callText.result(call.result, context.isTerminal));
      else context.note(callText.error(call));
      return EXITS[call.status];
    } finally {
      await callee.close();
    }
  },
};

/**
 * Call arguments from the command line: one JSON object, `-` (stdin), `@file`, or `name=value` pairs. A value is parsed as
 * JSON unless the tool expects a string there: `zip=01234` and `note=true` stay text.
 */
async function readCallArguments(
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
