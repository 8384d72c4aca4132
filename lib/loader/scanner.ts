import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CORE_CHANNELS } from '#lib/contract/channel.ts';
import { isValidName, NAME_RULE, suggestName } from '#lib/contract/names.ts';
import type { ExtensionKind, ExtensionRuntime } from '#lib/contract/extension.ts';
import type { ExtensionPlace } from '#lib/registry/snapshot.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import type { Candidate } from './build.ts';
import { createLimiter } from './load-batch.ts';
import type { Item } from './folder-items.ts';
import {
  ENTRY_EXTENSIONS,
  ENTRY_STEM,
  extensionOf,
  findDeeperCode,
  isCode,
  isGone,
  isIgnored,
  isShort,
  readFolder,
  stem,
  codeOf,
  unlessShort,
} from './folder-items.ts';
import type { Found, Scan, FolderProblem } from './scan.ts';
import { topOf } from './scan.ts';
import { scanServerFolder, scanServerList, splitAmbiguousServers } from './scan-servers.ts';
import { existsSync, lstatSync, statSync } from 'node:fs';

/**
 * Lists the extensions folder. Without named parts it relies on no event and reads everything.
 * What can go wrong:
 * - the folder is missing or unreadable: reported as different problems;
 * - folders vanish while they are read: treated as absent;
 * - no file descriptor is left: the scan has no result, as if the folder were unreadable;
 * - unreadable folders, and entries that are not files: `unreadable`;
 * - invalid names, two entries for one id, and code without an entry, at any depth: reported;
 * - a folder where one file is a tool: reported, unless a file beside it imports from there.
 */
const RESERVED: Readonly<Record<string, ExtensionKind>> = { tools: 'tool', channels: 'channel' };
const TEST = /\.(test|spec)\.[^.]+$/;
const PYTHON_TEST = /^(?:test_.*|.*_test|conftest)\.py$/;

/** Reading more folders at once would promote objects to V8's old space, and delay other work of the server. */
export const FOLDERS_AT_ONCE = 64;

export interface Scanner {
  /** @param touched only these parts may have changed since the last scan, see scan.ts; null: any */
  scan(touched: ReadonlySet<string> | null): Promise<Scan>;
  /** Number of scans started. Files may have been written after any scan but the last one read them. */
  begun(): number;
}

export function createScanner(extensionsDir: string): Scanner {
  /** What the newest scan of each item found. */
  const kept = new Map<string, { readonly type: Item['type']; readonly round: number; readonly found: Found }>();
  let rounds = 0;

  async function scanItem(item: Item, isTouched: boolean, round: number): Promise<Found> {
    const known = kept.get(item.name);
    if (!isTouched && known?.type === item.type) return known.found;
    const found = await scanTopItem(item);
    // A later scan of the item may have finished already.
    if ((kept.get(item.name)?.round ?? 0) < round) kept.set(item.name, { type: item.type, round, found });
    return found;
  }

  return {
    begun: () => rounds,
    async scan(touched) {
      rounds += 1;
      const round = rounds;
      const failed = (error: unknown): Scan => {
        kept.clear();
        return { ...none(), folder: folderProblem(extensionsDir, error) };
      };
      let items: Item[];
      try {
        items = await readFolder(extensionsDir);
      } catch (error) {
        return failed(error);
      }
      const tops = touched === null ? null : new Set([...touched].map(topOf));
      const limit = createLimiter(FOLDERS_AT_ONCE);
      let found: readonly Found[];
      try {
        found = await Promise.all(items.map((item) => limit(() => scanItem(item, tops?.has(item.name) !== false, round))));
      } catch (error) {
        if (isShort(error)) return failed(error);
        throw error;
      }
      const present = new Set(items.map(({ name }) => name));
      for (const name of kept.keys()) if (!present.has(name)) kept.delete(name);
      return joinFound(found);
    },
  };
}

export function scanExtensions(extensionsDir: string): Promise<Scan> {
  return createScanner(extensionsDir).scan(null);
}

function joinFound(found: readonly Found[]): Scan {
  const { candidates, failed: failures } = splitAmbiguousServers({
    candidates: found.flatMap((scan) => scan.candidates),
    failed: found.flatMap((scan) => scan.failed),
    leftOut: [],
  });
  const taken = new Set(candidates.map((candidate) => candidate.id));
  const failed = failures.map((item) => {
    const unique = taken.has(item.id) ? path.basename(item.entryFile ?? item.folder) : item.id;
    taken.add(unique);
    return unique === item.id ? item : { ...item, id: unique };
  });
  const leftOut = new Map(found.flatMap((scan) => scan.leftOut).map((candidate) => [candidate.id, candidate]));
  for (const id of taken) leftOut.delete(id);
  return { candidates, failed, leftOut: [...leftOut.values()], folder: null };
}

async function scanTopItem(item: Item): Promise<Found> {
  if (isIgnored(item.name) || item.type === 'gone') return none();
  if (item.type === 'file')
    return isCode(item.name)
      ? fail(item, stem(item.name), looseFile(item), runtimeOf(item.name))
      : item.name === 'mcp.json'
        ? scanServerList(item.path)
        : none();
  if (item.type === 'unreadable')
    return isCode(item.name) || !item.name.includes('.') ? fail(item, item.name, unreadable(item.path)) : none();
  const kind = RESERVED[item.name];
  return kind === undefined ? scanExtensionFolder(item) : scanReservedFolder(item, kind);
}

async function scanExtensionFolder(folder: Item): Promise<Found> {
  let items: Item[];
  try {
    items = await readFolder(folder.path);
  } catch (error) {
    if (isShort(error)) throw error;
    return isGone(error) ? none() : fail(folder, folder.name, unreadable(folder.path));
  }
  const entries = items.filter(
    (item) => item.name === 'mcp.json' || (stem(item.name) === ENTRY_STEM && ENTRY_EXTENSIONS.has(extensionOf(item.name))),
  );
  const direct = items.filter((item) => item.type === 'file' && isCode(item.name));
  const code = entries.length > 0 || direct.length > 0 ? direct : await findDeeperCode(items);
  if (entries.length === 0 && code.length === 0) return none();
  if (!isValidName(folder.name)) {
    return fail(folder, folder.name, {
      code: 'name_invalid',
      message: `“${folder.name}” cannot be the name of an extension. A name is ${NAME_RULE}.`,
      hint: `Rename the folder, for example to “${suggestName(folder.name)}”.`,
      file: folder.path,
    });
  }
  if (entries.length === 0) return fail(folder, folder.name, entryMissing(folder, code));
  const first = entries[0];
  if (first === undefined) return none();
  if (entries.length > 1) {
    const names = entries.map((entry) => entry.name).sort();
    return fail(
      folder,
      folder.name,
      {
        code: 'entry_ambiguous',
        message: `extensions/${folder.name}/ has ${entries.length} entry files: ${names.join(', ')}.`,
        hint: `Keep one of ${names.join(', ')} and remove or rename the others.`,
        file: folder.path,
      },
      runtimeOf(first.name),
    );
  }
  if (first.type !== 'file') {
    return fail(
      folder,
      folder.name,
      {
        ...(first.type === 'folder' ? folderInstead(first.path) : unreadable(first.path)),
      },
      runtimeOf(first.name),
    );
  }
  if (first.name === 'mcp.json') return scanServerFolder(folder.name, first.path);
  return one({ id: folder.name, kind: 'tools', runtime: runtimeOf(first.name), folder: folder.path, entryFile: first.path });
}

async function scanReservedFolder(folder: Item, kind: ExtensionKind): Promise<Found> {
  let items: Item[];
  try {
    items = await readFolder(folder.path);
  } catch (error) {
    if (isShort(error)) throw error;
    return isGone(error) ? none() : fail(folder, folder.name, unreadable(folder.path));
  }
  const stems = new Set(items.map((item) => stem(item.name)));
  const scans = items
    .filter(
      (item) =>
        item.type === 'file' &&
        !isIgnored(item.name) &&
        ENTRY_EXTENSIONS.has(extensionOf(item.name)) &&
        isCode(item.name) &&
        !isTest(item.name, stems),
    )
    .map((item): Found => {
      const name = stem(item.name);
      const id = `${folder.name}/${name}`;
      const runtime = runtimeOf(item.name);
      if (kind === 'channel' && CORE_CHANNELS.some((core) => core === name.toLowerCase()))
        return fail(item, id, coreName(item), runtime, kind);
      if (isValidName(name)) return one({ id, kind, runtime, folder: folder.path, entryFile: item.path });
      return fail(
        item,
        id,
        {
          code: 'name_invalid',
          message: `“${name}” cannot be the name of a ${kind}. A name is ${NAME_RULE}.`,
          hint: `Rename the file, for example to “${suggestName(name)}${extensionOf(item.name)}”.`,
          file: item.path,
        },
        runtime,
        kind,
      );
    });
  const nested = await Promise.all(items.map((item) => scanNestedFolder(folder, item, items, kind)));
  return mergeSameId([...scans, ...nested], folder);
}

/** A tool or channel is one file, so a folder is not a tool; the files beside it may import from it. */
async function scanNestedFolder(parent: Item, folder: Item, beside: readonly Item[], kind: ExtensionKind): Promise<Found> {
  if (folder.type !== 'folder' || isIgnored(folder.name)) return none();
  const items = await readFolder(folder.path).catch(unlessShort<Item[]>([]));
  const direct = items.filter((item) => item.type === 'file' && (item.name === 'mcp.json' || isCode(item.name)));
  const inside = direct.length > 0 ? direct : await findDeeperCode(items);
  const code = inside.filter((item) => !TEST.test(item.name) && !PYTHON_TEST.test(item.name));
  const near = nearestEntry(code);
  if (near === undefined || (await isImportedFrom(folder.name, beside))) return none();
  const isTaken = beside.some((item) => item.type === 'file' && stem(item.name) === folder.name);
  const id = `${parent.name}/${folder.name}${isTaken ? `/${near.name}` : ''}`;
  return fail(folder, id, nestedCode(parent, folder, near, kind), runtimeOf(near.name), kind);
}

async function isImportedFrom(name: string, beside: readonly Item[]): Promise<boolean> {
  const texts = await Promise.all(
    beside.filter((item) => item.type === 'file' && isCode(item.name)).map((item) => readFile(item.path, 'utf8').catch(unlessShort(''))),
  );
  return texts.some((text) => isNamedByImport(name, text));
}

/** Whether a line has this name after `import`, `from` or `require`; in one pass, because a line may be as long as the file. */
function isNamedByImport(name: string, text: string): boolean {
  let isImport = false;
  for (const [word] of text.matchAll(
    new RegExp(`[\\n\\r]|(?<![\\w-])${name.replace(/[^\w-]/g, '\\$&')}(?![\\w-])|\\b(?:import|from|require)\\b`, 'g'),
  )) {
    if (word === name && isImport) return true;
    isImport = isImport ? word !== '\n' && word !== '\r' : /^(?:import|from|require)$/.test(word);
  }
  return false;
}

/** Two files with the same base name (`a.ts`, `a.py`) would have the same id: neither is loaded. */
function mergeSameId(scans: readonly Found[], folder: Item): Found {
  const candidates = scans.flatMap((scan) => scan.candidates);
  const byId = Map.groupBy(candidates, (candidate) => candidate.id);
  const ambiguous = [...byId].filter(([, same]) => same.length > 1);
  return {
    candidates: [...byId].filter(([, same]) => same.length === 1).flatMap(([, same]) => same),
    failed: [
      ...scans.flatMap((scan) => scan.failed),
      ...ambiguous.flatMap(([id, same]) => {
        const names = same.map((candidate) => path.basename(candidate.entryFile)).sort();
        const first = same[0];
        if (first === undefined) return [];
        return {
          id,
          kind: first.kind,
          runtime: first.runtime,
          folder: folder.path,
          entryFile: null,
          failure: {
            code: 'entry_ambiguous' as const,
            message: `${id} has ${names.length} files: ${names.join(', ')}.`,
            hint: `Keep one of ${names.join(', ')}.`,
            file: folder.path,
          },
        };
      }),
    ],
    leftOut: [],
  };
}

function fail(item: Item, id: string, failure: RawFailure, runtime: ExtensionRuntime = 'node', kind: ExtensionKind = 'tools'): Found {
  return { ...none(), failed: [{ id, kind, runtime, ...placeOf(item), failure }] };
}

/** An unreadable item counts as a file when its name has a code suffix. */
function placeOf({ name, path: place, type }: Item): ExtensionPlace {
  const isFolder = type === 'folder' || (type !== 'file' && !isCode(name));
  return isFolder ? { folder: place, entryFile: null } : { folder: path.dirname(place), entryFile: place };
}

const none = (): Found => ({ candidates: [], failed: [], leftOut: [] });
const one = (candidate: Candidate): Found => ({ ...none(), candidates: [candidate] });
const runtimeOf = (name: string): ExtensionRuntime => (name === 'mcp.json' ? 'mcp' : extensionOf(name) === '.py' ? 'python' : 'node');

/** `a.test.ts`, and `test_a.py` beside an `a`; without an `a` it may be a normal tool. */
function isTest(name: string, stems: ReadonlySet<string>): boolean {
  const tested = extensionOf(name) === '.py' && name.startsWith('test_') ? stem(name).slice('test_'.length) : null;
  return TEST.test(name) || (tested !== null && stems.has(tested));
}

/** Messages for a layout that cannot be loaded: the likely intention, and the right path. */

function folderProblem(folder: string, error: unknown): FolderProblem {
  const code = codeOf(error);
  if (code === 'ENOENT')
    return { kind: 'absent', reason: `EXTENSIONS_DIR (${folder}) does not exist. Create it; Switchboard finds it automatically.` };
  const why =
    code === 'EACCES' || code === 'EPERM'
      ? 'the user who runs the server may not read it. Give it permission to'
      : code === 'ENOTDIR'
        ? 'it is not a folder. Restore the folder'
        : isShort(error)
          ? `the server has no more file descriptors (${code}). Raise its limit of open files`
          : `${code}. Check the disk and the path`;
  return { kind: 'unreadable', reason: `EXTENSIONS_DIR (${folder}) cannot be read: ${why}; it is checked again automatically.` };
}

function coreName(item: Item): RawFailure {
  const name = stem(item.name);
  return {
    code: 'name_invalid',
    message: `The name “${name}” belongs to a built-in channel; an extension cannot replace it.`,
    hint: `Rename the file, for example to “my_${name}${extensionOf(item.name)}”.`,
    file: item.path,
  };
}

function looseFile(item: Item): RawFailure {
  const name = suggestName(stem(item.name));
  const ending = entryEnding(extensionOf(item.name));
  return {
    code: 'entry_missing',
    message: `${item.name} is at the top level of the extensions folder and is not loaded.`,
    hint: `Move it to extensions/${name}/extension${ending} if it exports TOOL or TOOLS, or to extensions/tools/${name}${ending} if it exports run.`,
    file: item.path,
  };
}

/** The code file most likely meant as the entry. */
function nearestEntry(code: readonly Item[]): Item | undefined {
  return (
    code.find((item) => stem(item.name).toLowerCase() === ENTRY_STEM) ??
    code.find((item) => /^(extensions?|index|main|plugin|tools?|mod|__init__)$/i.test(stem(item.name))) ??
    code[0]
  );
}

/** @param near the code in a folder where only files are tools or channels */
function nestedCode(parent: Item, folder: Item, near: Item, kind: ExtensionKind): RawFailure {
  const place = `extensions/${parent.name}/${folder.name}/`;
  const isServer = near.name === 'mcp.json';
  const ending = entryEnding(extensionOf(near.name));
  const isNamedAsEntry = /^(extensions?|index|main|plugin|tools?|run|mod|__init__)$/i.test(stem(near.name));
  const file = `extensions/${parent.name}/${suggestName(isNamedAsEntry ? folder.name : stem(near.name))}${ending}`;
  const whole = `extensions/${suggestName(folder.name)}/${isServer ? near.name : `${ENTRY_STEM}${ending}`}`;
  const where = isServer
    ? `Move it to ${whole}.`
    : kind === 'channel'
      ? `Move it to ${file}.`
      : `Move it to ${file} if it exports run, or to ${whole} if it exports TOOL or TOOLS.`;
  return {
    code: 'entry_missing',
    message: `${place} is a folder; a ${kind} is one file, so ${path.relative(folder.path, near.path)} in it is not loaded.`,
    hint: `${where} A folder that only holds helpers starts with “_”.`,
    file: folder.path,
  };
}

/** CommonJS is loaded from `.js`. */
function entryEnding(ofFile: string): string {
  const given = ofFile.toLowerCase();
  if (ENTRY_EXTENSIONS.has(given)) return given;
  return given === '.cjs' || given === '.jsx' ? '.js' : '.ts';
}

/** @param code code files in the folder itself, or else deeper in it */
function entryMissing(folder: Item, code: readonly Item[]): RawFailure {
  const near = nearestEntry(code);
  const nearName = near === undefined ? '' : path.relative(folder.path, near.path);
  const ending = entryEnding(extensionOf(nearName));
  const isDeeper = nearName !== near?.name;
  return {
    code: 'entry_missing',
    message: `extensions/${folder.name}/ has code but no entry file; the nearest is ${nearName}.`,
    hint: isDeeper
      ? `Put an extension${ending} into extensions/${folder.name} itself, which may import ${nearName}, or move that there under this name. A folder that only holds helpers starts with “_”.`
      : `Rename ${nearName} to extension${ending}, or put an extension${ending} beside it. A folder that only holds helpers starts with “_”.`,
    file: folder.path,
  };
}

function unreadable(file: string): RawFailure {
  const name = path.basename(file);
  if (isBrokenLink(file)) return { code: 'unreadable', message: `${name} is a broken link.`, hint: 'Fix or remove the link.', file };
  if (!isOther(file)) return { code: 'unreadable', message: `${name} cannot be read.`, file };
  const hint = `Remove it, and put a file called ${name} in its place.`;
  return { code: 'unreadable', message: `${name} is a pipe, a socket or a device; it must be a file.`, hint, file };
}

function folderInstead(file: string): RawFailure {
  const name = path.basename(file);
  const hint = `Rename the folder, or move the code in it to a file called ${name}.`;
  return { code: 'unreadable', message: `${name} is a folder; it must be a file.`, hint, file };
}

/** Neither a file nor a folder. */
function isOther(file: string): boolean {
  try {
    const facts = statSync(file);
    return !facts.isFile() && !facts.isDirectory();
  } catch {
    return false;
  }
}

function isBrokenLink(file: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink() && !existsSync(file);
  } catch {
    return false;
  }
}
