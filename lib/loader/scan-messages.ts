import { existsSync, lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ExtensionKind } from '#lib/contract/extension.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import type { Item } from './folder-items.ts';
import { codeOf, ENTRY_EXTENSIONS, ENTRY_STEM, extensionOf, stem } from './folder-items.ts';
import type { FolderProblem } from './scan.ts';

/** Messages for a layout that cannot be loaded: the likely intention, and the right path. */

export function folderProblem(folder: string, error: unknown): FolderProblem {
  const code = codeOf(error);
  if (code === 'ENOENT')
    return { kind: 'absent', reason: `EXTENSIONS_DIR (${folder}) does not exist. Create it; Switchboard finds it automatically.` };
  const why =
    code === 'EACCES' || code === 'EPERM'
      ? 'the user who runs the server may not read it. Give it permission to'
      : code === 'ENOTDIR'
        ? 'it is not a folder. Restore the folder'
        : `${code}. Check the disk and the path`;
  return { kind: 'unreadable', reason: `EXTENSIONS_DIR (${folder}) cannot be read: ${why}; it is checked again automatically.` };
}

export function coreName(item: Item): RawFailure {
  const name = stem(item.name);
  return {
    code: 'name_invalid',
    message: `The name “${name}” belongs to a built-in channel; an extension cannot replace it.`,
    hint: `Rename the file, for example to “my_${name}${extensionOf(item.name)}”.`,
    file: item.path,
  };
}

export function looseFile(item: Item): RawFailure {
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
export function nearestEntry(code: readonly Item[]): Item | undefined {
  return (
    code.find((item) => stem(item.name).toLowerCase() === ENTRY_STEM) ??
    code.find((item) => /^(extensions?|index|main|plugin|tools?|mod|__init__)$/i.test(stem(item.name))) ??
    code[0]
  );
}

/** @param near the code in a folder where only files are tools or channels */
export function nestedCode(parent: Item, folder: Item, near: Item, kind: ExtensionKind): RawFailure {
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
export function entryMissing(folder: Item, code: readonly Item[]): RawFailure {
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

export function unreadable(file: string): RawFailure {
  const name = path.basename(file);
  if (isBrokenLink(file)) return { code: 'unreadable', message: `${name} is a broken link.`, hint: 'Fix or remove the link.', file };
  if (!isOther(file)) return { code: 'unreadable', message: `${name} cannot be read.`, file };
  const hint = `Remove it, and put a file called ${name} in its place.`;
  return { code: 'unreadable', message: `${name} is a pipe, a socket or a device; it must be a file.`, hint, file };
}

export function folderInstead(file: string): RawFailure {
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

export function suggestName(name: string): string {
  const cleaned = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^[^A-Za-z]+/, '')
    .replace(/_+$/, '')
    .slice(0, 64);
  return cleaned === '' ? 'my_extension' : cleaned;
}
