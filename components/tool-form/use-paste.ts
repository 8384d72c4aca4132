'use client';

import { useEffect, useEffectEvent } from 'react';
import { isJsonObject, readJson, withPlainSpaces } from './json-text.ts';
import type { Payload } from './payload.ts';

export type Pasted = { readonly payload: Payload } | { readonly problem: string };

/** As JSON stands in Markdown, and in what a model answers. */
const FENCED = /^\s*`{3,}[^\n`]*\n([^]*?)\s*`{3,}\s*$/;

/** The tool whose form is pasted into: what names another one is not for it. */
export interface PasteTarget {
  readonly tool: string;
  /** Names of its own parameters: `{"arguments": …}` may be meant as it stands. */
  readonly parameters: readonly string[];
}

/**
 * A text that is one whole JSON object, also one that is fenced or itself a text of JSON; null for what was never meant as JSON.
 * Of a request, as Copy as gives it, these are its arguments.
 */
export function readPasted(copied: string, target: PasteTarget): Pasted | null {
  const text = withPlainSpaces(withoutFence(copied));
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

const MCP_MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params']);
const BODY_MEMBERS = new Set(['arguments', 'timeout_ms', 'replay_of']);

function argumentsIn(value: Payload, { tool, parameters }: PasteTarget): Pasted {
  const isMade = (members: ReadonlySet<string>) => Object.keys(value).every((name) => members.has(name) && !parameters.includes(name));
  const params = value['params'];
  if (value['method'] === 'tools/call' && isMade(MCP_MEMBERS) && isJsonObject(params)) {
    if (params['name'] !== tool)
      return { problem: `What was pasted is a call of ${JSON.stringify(params['name'] ?? null)}, and this is the form of ${tool}.` };
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
    if (isField(event.target) || document.querySelector('[role=dialog]') !== null) return;
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
