import { realpathSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RawFailure } from './runtime.ts';

interface Places {
  readonly extensionsDir: string;
  readonly entryFile: string | null;
}

/**
 * Maps the files of a failure to their paths in the extensions folder. The bundler and Node resolve symbolic links, so for a linked
 * extension they report the target.
 */
export function asLinked(failure: RawFailure, places: Places): RawFailure {
  const links = linksOf(places);
  if (links.length === 0) return failure;
  const { file, stack } = failure;
  return {
    ...failure,
    message: links.reduce(inText, failure.message),
    ...(file === undefined ? {} : { file: links.reduce(inPath, file) }),
    ...(stack === undefined ? {} : { stack: links.reduce(inText, stack) }),
  };
}

/** Users know their files by the path in the extensions folder; not every reader may see where that is on the server. */
export function withoutFolder(text: string, extensionsDir: string): string {
  const folder = `${extensionsDir}${path.sep}`;
  return text.replaceAll(pathToFileURL(folder).href, '').replaceAll(folder, '');
}

/** The same for stacks in the log of an extension, given only its entry file. */
export function createStackShortener(entryFile: string): (text: string) => string {
  const extensionsDir = path.dirname(path.dirname(entryFile));
  return (text) => withoutFolder(linksOf({ extensionsDir, entryFile }).reduce(inText, text), extensionsDir);
}

function linksOf({ extensionsDir, entryFile }: Places): readonly Link[] {
  const known = entryFile === null ? [extensionsDir] : [entryFile, path.dirname(entryFile), extensionsDir];
  return known.flatMap((link) => {
    const target = targetOf(link);
    return target === null || target === link ? [] : [{ link, target }];
  });
}

interface Link {
  readonly link: string;
  readonly target: string;
}

function inPath(file: string, { link, target }: Link): string {
  return file === target || file.startsWith(`${target}${path.sep}`) ? `${link}${file.slice(target.length)}` : file;
}

function inText(text: string, { link, target }: Link): string {
  return text
    .replaceAll(`${pathToFileURL(target).href}/`, `${pathToFileURL(link).href}/`)
    .replaceAll(`${target}${path.sep}`, `${link}${path.sep}`);
}

function targetOf(place: string): string | null {
  try {
    return realpathSync(place);
  } catch {
    return null;
  }
}
