import * as z from 'zod';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import type { Host } from '#lib/host/host.ts';
import { invalidParams, type Outcome, type Params, RPC } from './protocol.ts';

/**
 * Saved calls as prompts: the user of an agent selects a saved call by its name. A prompt asks for the call and does not run
 * it. It contains no secrets, since they are not saved. Only people who may save calls, and so may run them, write its text.
 */
interface NamedCall {
  readonly name: string;
  readonly saved: SavedCall;
}

const ID_END = 6;
const paramsSchema = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.string()).optional() });

export async function listPrompts(host: Host): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await namedCalls(host)).map(({ name, saved }) => ({
    name,
    title: saved.name,
    description: `Calls ${saved.tool} with the arguments that are saved as “${saved.name}”${saved.expectation === null ? '' : ', and checks the result'}.`,
  }));
}

export async function getPrompt(host: Host, params: Params): Promise<Outcome> {
  const asked = paramsSchema.safeParse(params);
  if (!asked.success)
    return { ok: false, failure: invalidParams(asked.error, 'prompts/get takes the name of a prompt; prompts/list has them.') };
  const { name } = asked.data;
  const found = (await namedCalls(host)).find((one) => one.name === name);
  if (found === undefined)
    return {
      ok: false,
      failure: {
        code: RPC.invalidParams,
        message: `There is no prompt ${name.slice(0, 200)}. prompts/list lists the existing ones.`,
      },
    };
  const { saved } = found;
  const content = { type: 'text', text: textOf(saved) };
  return { ok: true, result: { description: `${saved.tool}: ${saved.name}`, messages: [{ role: 'user', content }] } };
}

/**
 * Saved calls with an available tool. Clients turn prompt names into commands, so a name is the tool's name and the saved
 * call's name in ASCII.
 */
async function namedCalls(host: Host): Promise<readonly NamedCall[]> {
  const available = new Map<string, boolean>();
  const isAvailable = (tool: string): boolean => {
    const known = available.get(tool);
    if (known !== undefined) return known;
    const found = host.tools.get(tool);
    const is = found.ok && found.value.available;
    available.set(tool, is);
    return is;
  };
  const owners = new Map<string, string>();
  const { saved_calls: all } = await host.savedCalls.listAll();
  // Ids are in order of creation: the first one keeps the name without a suffix.
  for (const { id, tool, name } of all.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const plain = plainName(tool, name);
    if (plain !== null && !owners.has(plain)) owners.set(plain, id);
  }
  return all
    .filter(({ tool }) => isAvailable(tool))
    .map((saved) => {
      const plain = plainName(saved.tool, saved.name);
      const isOwn = plain !== null && owners.get(plain) === saved.id;
      return { name: isOwn ? plain : `${plain ?? saved.tool}-${saved.id.slice(-ID_END)}`, saved };
    });
}

/** Letters that Unicode normalization does not decompose. */
const LATIN: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

/** Null if no character of the name is left. */
function plainName(tool: string, name: string): string | null {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[ßæœøłđðþı]/g, (letter) => LATIN[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return plain === '' ? null : `${tool}-${plain}`;
}

function textOf({ tool, arguments: args, left_out: leftOut, timeout_ms: timeoutMs, expectation }: SavedCall): string {
  return [
    `Call the tool \`${tool}\` with exactly these arguments:`,
    fenced(args),
    ...(leftOut.length === 0
      ? []
      : [
          `Secrets are not stored. Ask the person for the values at ${leftOut.join(', ')} (JSON Pointers into the arguments), and add them.`,
        ]),
    ...(timeoutMs === null ? [] : [`It may take up to ${timeoutMs.toLocaleString('en')} ms.`]),
    ...(expectation === null
      ? ['Then report the result.']
      : [
          'Then say whether the result is as expected, and if not, what differs. `status` is the expected status (succeeded when absent), `result_includes` the values that the result must contain, `result_schema` the JSON Schema that it must match:',
          fenced(expectation),
        ]),
  ].join('\n\n');
}

/** A fence longer than any inside. */
function fenced(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}json\n${text}\n${fence}`;
}
