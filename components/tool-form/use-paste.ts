'use client';

import { useEffect, useEffectEvent } from 'react';
import { API } from '#lib/contract/paths.ts';
import { isJsonObject, readJson, withPlainSpaces } from './json-text.ts';
import type { Payload } from './payload.ts';
import { readCopied } from './read-copied.ts';
import type { Copied } from './read-copied.ts';

export type Pasted = { readonly payload: Payload } | { readonly problem: string };

/** As JSON stands in Markdown, and in what a model answers. */
const FENCED = /^\s*`{3,}[^\n`]*\n([^]*?)\s*`{3,}\s*$/;

/** The tool whose form is pasted into: what names another one is not for it. */
export interface PasteTarget {
  readonly tool: string;
  /** Names of its own parameters: `{"arguments": …}` may be meant as it stands. */
  readonly parameters: readonly string[];
}

const UNKNOWN =
  'What was pasted is a command or code that Copy as does not write. Paste the arguments as JSON, the body of a request, or what Copy as gives: curl, MCP request, TypeScript, Python or command line.';

/**
 * A text that is one whole JSON object, also one that is fenced or itself a text of JSON, or a call as Copy as gives it, of which
 * these are the arguments; null for what was never meant as either.
 */
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
      : { problem: `What was pasted cannot be read. Line ${line}, column ${column}: ${message}` };
  }
  if (isJsonObject(reading.value)) return argumentsIn(reading.value, target);
  if (typeof reading.value === 'string') return readPasted(reading.value, target);
  return { problem: 'What was pasted is a list. The arguments are one JSON object: {"name": value, …}.' };
}

function payloadOf({ to, json, what }: Copied, { tool }: PasteTarget): Pasted {
  const named = 'tool' in to ? to.tool : toolAt(to.address);
  if (named === null) return { problem: UNKNOWN };
  if (named !== tool) return otherTool(named, tool);
  const reading = readJson(json);
  if (!reading.ok) return { problem: `The arguments in what was pasted cannot be read. ${reading.problem.message}` };
  const args = what === 'body' && isJsonObject(reading.value) ? reading.value['arguments'] : reading.value;
  return isJsonObject(args) ? { payload: args } : { problem: UNKNOWN };
}

function otherTool(named: unknown, tool: string): Pasted {
  return { problem: `What was pasted is a call of ${JSON.stringify(named ?? null)}, and this is the form of ${tool}.` };
}

/** The tool that is called at an address of the API; null for another address. */
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

/** The lines keep their numbers. */
function withoutFence(text: string): string {
  const fenced = FENCED.exec(text);
  if (fenced === null) return text;
  const [whole, inner = ''] = fenced;
  const before = whole.slice(0, whole.indexOf('\n', whole.indexOf('```')) + 1);
  return '\n'.repeat(before.split('\n').length - 1) + inner;
}

/** A JSON object that is pasted anywhere but into a field for text becomes the arguments. */
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
