'use client';

import { useEffect, useEffectEvent } from 'react';
import { API } from '#lib/contract/paths.ts';
import { isJsonObject, readJson, withPlainSpaces } from './json-text.ts';
import type { Payload } from './payload.ts';

/* Parses what "Copy as" writes, not the languages in general. Values are JSON texts in all of them, quoted for the shell or language. */
interface Copied {
  readonly to: { readonly address: string } | { readonly tool: string };
  /** JSON text: the arguments, or the request body. */
  readonly json: string;
  readonly what: 'arguments' | 'body';
}

/** Starts of code and commands. */
const CODE =
  /^\s*(?:\$\s+)?(?:curl|npx|wget|switchboard)\s|^\s*SWITCHBOARD_TOKEN=|^\s*(?:const|let|var)\s+\w+\s*=|^\s*(?:await\s+)?fetch\(|^\s*import\s+(?:json|requests|httpx|urllib)\b/;

const READERS: readonly ((text: string) => Copied | null)[] = [readCurl, readCommand, readTypeScript, readPython];

/** `unknown` for a command or code that "Copy as" does not write; null for other text. */
function readCopied(copied: string): Copied | 'unknown' | null {
  const text = copied.replaceAll(/\r\n?/g, '\n');
  if (!CODE.test(text)) return null;
  for (const read of READERS) {
    const found = read(text.trim());
    if (found !== null) return found;
  }
  return 'unknown';
}

const STDIN = / <<'JSON'\n([^]*)\nJSON$/;
/** Whitespace, literal characters, single-quoted text, and an escaped quote between two of those. */
const PART = /(?:\s|\\\n)+|((?:[\w@%+=:,./-]|'[^']*'|\\')+)/y;

/** Words of a POSIX shell command; null if it needs expansion. */
function wordsOf(text: string): { readonly words: readonly string[]; readonly input: string | null } | null {
  const input = STDIN.exec(text);
  const command = input === null ? text : text.slice(0, input.index);
  const words: string[] = [];
  for (PART.lastIndex = 0; PART.lastIndex < command.length;) {
    const part = PART.exec(command);
    if (part === null) return null;
    if (part[1] !== undefined) words.push(part[1].replaceAll(/'([^']*)'|\\'/g, (_, inner?: string) => inner ?? "'"));
  }
  return { words, input: input?.[1] ?? null };
}

function optionsOf(words: readonly string[], flags: readonly string[]) {
  const options = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (flags.includes(word)) continue;
    if (word.startsWith('-') && word !== '-') options.set(word, words[(at += 1)] ?? '');
    else rest.push(word);
  }
  return { options, rest };
}

function readCurl(text: string): Copied | null {
  const line = wordsOf(text);
  if (line?.words[0] !== 'curl') return null;
  const { options, rest } = optionsOf(line.words.slice(1), ['-sS']);
  const json = options.get('--data-raw') ?? (options.get('--data-binary') === '@-' ? line.input : null);
  const [address, ...more] = rest;
  if (json === null || address === undefined || more.length > 0) return null;
  return { to: { address }, json, what: 'body' };
}

function readCommand(text: string): Copied | null {
  const line = wordsOf(text);
  if (line === null) return null;
  const words = line.words[0]?.startsWith('SWITCHBOARD_TOKEN=') === true ? line.words.slice(1) : line.words;
  const [npx, program, command, ...others] = words;
  if (npx !== 'npx' || program !== 'switchboard' || command !== 'call') return null;
  const [tool, args, ...more] = optionsOf(others, []).rest;
  const json = args === '-' ? line.input : (args ?? null);
  return tool === undefined || json === null || more.length > 0 ? null : { to: { tool }, json, what: 'arguments' };
}

const TEXT = String.raw`"(?:[^"\\\n]|\\.)*"`;
const WHOLE_TEXT = new RegExp(`^${TEXT}$`, 'u');
const FETCH = new RegExp(
  String.raw`^const response = await fetch\((${TEXT}), \{\n  method: 'POST',\n  headers: \{[^\n]*\},\n  body: ([^]*),\n\}\);\nif \(!response\.ok\)`,
  'u',
);
const WRITTEN = /^JSON\.stringify\(\{ arguments: ([^]*?)(?:, timeout_ms: \d+)? \}\)$/;
const PARSED = new RegExp(String.raw`^JSON\.parse\((${TEXT})\)$`, 'u');

function readTypeScript(text: string): Copied | null {
  const [, address = '', body = ''] = FETCH.exec(text) ?? [];
  if (address === '') return null;
  const to = { address: textOf(address) };
  if (WHOLE_TEXT.test(body)) return { to, json: textOf(body), what: 'body' };
  const args = WRITTEN.exec(body)?.[1];
  if (args === undefined) return null;
  const parsed = PARSED.exec(args)?.[1];
  return { to, json: parsed === undefined ? args : textOf(parsed), what: 'arguments' };
}

const REQUEST = new RegExp(
  String.raw`^import json\nimport urllib\.request\n\nrequest = urllib\.request\.Request\(\n    (${TEXT}),\n    data=json\.dumps\(\{"arguments": ([^]*?)(?:, "timeout_ms": \d+)?\}\)\.encode\(\),\n    headers=\{[^\n]*\},\n\)\n`,
  'u',
);
const PYTHON_PART = new RegExp(String.raw`${TEXT}|\b(?:None|True|False)\b|,(?=\s*[\]}])`, 'gu');
const IN_JSON: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false', ',': '' };

function readPython(text: string): Copied | null {
  const [, address = '', args = ''] = REQUEST.exec(text) ?? [];
  if (address === '') return null;
  return { to: { address: textOf(address) }, json: args.replaceAll(PYTHON_PART, (part) => IN_JSON[part] ?? part), what: 'arguments' };
}

/** JSON text literals are valid in both languages. */
function textOf(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return '';
  }
}

type Pasted = { readonly payload: Payload } | { readonly problem: string };

const FENCED = /^\s*`{3,}[^\n`]*\n([^]*?)\s*`{3,}\s*$/;

/** Text for another tool is rejected. */
export interface PasteTarget {
  readonly tool: string;
  /** If the tool has a parameter named `arguments`, the object is taken as is. */
  readonly parameters: readonly string[];
}

const UNKNOWN =
  'This command or code is not supported. Paste the arguments as JSON, the body of a request, or text from “Copy as”: curl, MCP request, TypeScript, Python or command line.';

/** A JSON object (also fenced or JSON-encoded) or a copied call; null for other text. */
export function readPasted(copied: string, target: PasteTarget): Pasted | null {
  const unfenced = withoutFence(copied);
  const call = readCopied(unfenced);
  if (call !== null) return call === 'unknown' ? { problem: UNKNOWN } : payloadOf(call, target);
  const text = withPlainSpaces(unfenced);
  if (!/^\s*[{["]/.test(text)) return null;
  const reading = readJson(text);
  if (!reading.ok) {
    const { message, line, column } = reading.problem;
    return text.trimStart().startsWith('"')
      ? null
      : { problem: `The pasted text is not valid JSON. Line ${line}, column ${column}: ${message}` };
  }
  if (isJsonObject(reading.value)) return argumentsIn(reading.value, target);
  if (typeof reading.value === 'string') return readPasted(reading.value, target);
  return { problem: 'The pasted text is a list. The arguments are one JSON object: {"name": value, …}.' };
}

function payloadOf({ to, json, what }: Copied, { tool }: PasteTarget): Pasted {
  const named = 'tool' in to ? to.tool : toolAt(to.address);
  if (named === null) return { problem: UNKNOWN };
  if (named !== tool) return otherTool(named, tool);
  const reading = readJson(json);
  if (!reading.ok) return { problem: `The pasted arguments are not valid JSON. ${reading.problem.message}` };
  const args = what === 'body' && isJsonObject(reading.value) ? reading.value['arguments'] : reading.value;
  return isJsonObject(args) ? { payload: args } : { problem: UNKNOWN };
}

function otherTool(named: unknown, tool: string): Pasted {
  return { problem: `The pasted call is for ${JSON.stringify(named ?? null)}, but this is the form of ${tool}.` };
}

function toolAt(address: string): string | null {
  const name = /\/tools\/([^/]+)\/call$/.exec(address)?.[1];
  try {
    const tool = decodeURIComponent(name ?? '');
    return address.endsWith(API.callTool(tool)) ? tool : null;
  } catch {
    return null;
  }
}

const MCP_MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params']);
const BODY_MEMBERS = new Set(['arguments', 'timeout_ms', 'replay_of']);

function argumentsIn(value: Payload, { tool, parameters }: PasteTarget): Pasted {
  const isMade = (members: ReadonlySet<string>) => Object.keys(value).every((name) => members.has(name) && !parameters.includes(name));
  const params = value['params'];
  if (value['method'] === 'tools/call' && isMade(MCP_MEMBERS) && isJsonObject(params)) {
    if (params['name'] !== tool) return otherTool(params['name'], tool);
    return { payload: isJsonObject(params['arguments']) ? params['arguments'] : {} };
  }
  const inner = value['arguments'];
  return isJsonObject(inner) && isMade(BODY_MEMBERS) ? { payload: inner } : { payload: value };
}

function withoutFence(text: string): string {
  const fenced = FENCED.exec(text);
  if (fenced === null) return text;
  const [whole, inner = ''] = fenced;
  const before = whole.slice(0, whole.indexOf('\n', whole.indexOf('```')) + 1);
  return '\n'.repeat(before.split('\n').length - 1) + inner;
}

/** Pasted anywhere except into text fields. */
export function usePaste(target: PasteTarget, onPaste: (pasted: Pasted) => void): void {
  const pasted = useEffectEvent((event: ClipboardEvent) => {
    if (isField(event.target) || document.querySelector('[role=dialog], [role=alertdialog]') !== null) return;
    const read = readPasted(event.clipboardData?.getData('text/plain') ?? '', target);
    if (read === null) return;
    event.preventDefault();
    onPaste(read);
  });

  useEffect(() => {
    const listen = (event: ClipboardEvent) => pasted(event);
    document.addEventListener('paste', listen);
    return () => document.removeEventListener('paste', listen);
  }, []);
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type=radio], [type=checkbox]), textarea'))
  );
}
