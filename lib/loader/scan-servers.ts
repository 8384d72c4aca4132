import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isValidName, NAME_RULE, suggestName } from '#lib/contract/names.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import { isObject, kindOf } from '#lib/schema/json-value.ts';
import type { Candidate } from './build.ts';
import { unlessShort } from './folder-items.ts';
import { locateInJson, parseJsonSource, repeatedNames } from './json-source.ts';
import type { FailedCandidate, Found } from './scan.ts';
import { isDisabledEntry } from './server-entry.ts';
import { encodingFault } from './source-encoding.ts';

/** The property that MCP clients use for servers in their configuration file. */
export const SERVERS_KEY = 'mcpServers';
const LIST_FILE = 'mcp.json';
const RESERVED = new Set(['tools', 'channels']);
const SHAPE = 'Write { "mcpServers": { "<name>": { "command": "…", "args": ["…"] } } }.';

/** `extensions/mcp.json`: each server in it is an extension. An unreadable file is one failed extension, `mcp.json`. */
export async function scanServerList(file: string): Promise<Found> {
  const bytes = await readFile(file).catch(unlessShort(null));
  if (bytes === null) return failFile(file, { code: 'unreadable', message: `${LIST_FILE} cannot be read.` });
  const fault = encodingFault(file, bytes);
  if (fault !== null) return failFile(file, fault);
  const text = bytes.toString('utf8');
  const parsed = parseJsonSource(text);
  if (!parsed.ok) return failFile(file, parsed.failure);
  const servers = isObject(parsed.value) ? parsed.value[SERVERS_KEY] : undefined;
  if (servers === undefined) return failFile(file, listMissing(parsed.value, text));
  if (!isObject(servers)) {
    const message = `\`${SERVERS_KEY}\` is ${kindOf(servers)}; it must be an object with a server under each name.`;
    return failFile(file, { code: 'field_invalid', message, hint: SHAPE, ...locateInJson(text, [SERVERS_KEY]) });
  }
  const candidates: Candidate[] = [];
  const leftOut: Candidate[] = [];
  const failed: FailedCandidate[] = [];
  const repeated = new Set(repeatedNames(text, [SERVERS_KEY]));
  for (const [name, entry] of Object.entries(servers)) {
    const failure = repeated.has(name) ? duplicateName(name) : nameFailure(name);
    if (isDisabledEntry(entry)) {
      if (failure === null) leftOut.push(serverCandidate(name, file));
    } else if (failure === null) candidates.push(serverCandidate(name, file));
    else failed.push(failedServer(name, file, { ...failure, file, ...locateInJson(text, [SERVERS_KEY, name]) }));
  }
  return { candidates, failed, leftOut };
}

/** `extensions/<name>/mcp.json`; it can disable itself. */
export async function scanServerFolder(name: string, file: string): Promise<Found> {
  const text = await readFile(file, 'utf8').catch(unlessShort(null));
  const parsed = text === null ? null : parseJsonSource(text);
  const server = [serverCandidate(name, file)];
  const isDisabled = parsed?.ok === true && isDisabledEntry(parsed.value);
  return { candidates: isDisabled ? [] : server, failed: [], leftOut: isDisabled ? server : [] };
}

/** A server of `mcp.json` with the name of a folder: neither is loaded. */
export function splitAmbiguousServers(scan: Found): Found {
  const byId = Map.groupBy(scan.candidates, (candidate) => candidate.id);
  const ambiguous = [...byId].filter(([, same]) => same.length > 1);
  if (ambiguous.length === 0) return scan;
  return {
    candidates: [...byId.values()].filter((same) => same.length === 1).flat(),
    leftOut: scan.leftOut,
    failed: [
      ...scan.failed,
      ...ambiguous.map(([id, same]) => {
        const folder = same.find((candidate) => path.basename(candidate.folder) === id);
        const other = `extensions/${id}/${path.basename(folder?.entryFile ?? '')}`;
        const file = same.find((candidate) => candidate !== folder)?.entryFile ?? '';
        return failedServer(id, file, {
          code: 'entry_ambiguous',
          message: `Both ${LIST_FILE} and ${other} are the extension “${id}”.`,
          hint: `Keep one of the two: remove “${id}” from ${LIST_FILE}, or rename the folder.`,
          file,
          subject: [SERVERS_KEY, id],
        });
      }),
    ],
  };
}

function serverCandidate(id: string, file: string): Candidate {
  return { id, kind: 'mcp', runtime: 'mcp', folder: path.dirname(file), entryFile: file };
}

function failedServer(id: string, file: string, failure: RawFailure): FailedCandidate {
  return { id, kind: 'mcp', runtime: 'mcp', folder: path.dirname(file), entryFile: file, failure };
}

function failFile(file: string, failure: RawFailure): Found {
  return { candidates: [], leftOut: [], failed: [{ ...failedServer(LIST_FILE, file, { file, ...failure }), isList: true }] };
}

function listMissing(value: unknown, text: string): RawFailure {
  if (!isObject(value))
    return { code: 'field_invalid', message: `The file is ${kindOf(value)}; it must be an object.`, hint: SHAPE, line: 1, column: 1 };
  const renamed = 'servers' in value;
  const isOne = 'command' in value || 'url' in value;
  const hint = renamed
    ? `Rename \`servers\` to \`${SERVERS_KEY}\`.`
    : isOne
      ? `One server alone belongs in extensions/<name>/${LIST_FILE}; here, put it under a name: ${SHAPE}`
      : SHAPE;
  return {
    code: 'fields_missing',
    message: `The file has no \`${SERVERS_KEY}\`.`,
    hint,
    ...locateInJson(text, renamed ? ['servers'] : []),
  };
}

function nameFailure(name: string): RawFailure | null {
  if (RESERVED.has(name)) {
    const message = `“${name}” is a reserved folder name and cannot be the name of a server.`;
    return { code: 'name_invalid', message, hint: 'Give the server another name.' };
  }
  if (isValidName(name)) return null;
  const message = `“${name.slice(0, 100)}” cannot be the name of an extension. A name is ${NAME_RULE}.`;
  return { code: 'name_invalid', message, hint: `Rename the server, for example to “${suggestName(name)}”.` };
}

function duplicateName(name: string): RawFailure {
  return {
    code: 'entry_ambiguous',
    message: `“${name}” is defined more than once in ${LIST_FILE}.`,
    hint: 'Remove or rename all but one.',
  };
}
