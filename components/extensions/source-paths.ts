import type { Extension } from '#lib/contract/extension.ts';

/** The files that belong to an extension: its folder, or its file and what lies beside it for such files to share. */
export function filesOf(extension: Pick<Extension, 'id' | 'path'>, all: readonly string[]): readonly string[] {
  const slash = extension.id.indexOf('/');
  if (slash === -1) {
    const own = all.filter((path) => path.startsWith(`${extension.id}/`));
    return own.length > 0 ? own : all.filter((path) => path === extension.path);
  }
  const group = extension.id.slice(0, slash + 1);
  return all.filter((path) => path === extension.path || stemOf(path) === extension.id || path.startsWith(`${group}_`));
}

function stemOf(path: string): string {
  return path.replace(/\.[^./]+$/, '');
}

/** What is opened first: the file of the failure, else the entry, else the first there is. */
export function firstFile(files: readonly string[], faulty: string | null, entry: string): string | null {
  const known = [faulty, entry].find((path): path is string => path !== null && files.includes(path));
  return known ?? files.find((path) => /\/(?:extension\.(?:m?[tj]s|py)|mcp\.json)$/.test(path)) ?? files[0] ?? null;
}

const NAME = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*$/;

/** Why a new file cannot have this name; null when it can. */
export function refusalOfName(name: string, taken: readonly string[], folder: string): string | null {
  if (name === '') return 'Give it a name, such as helper.ts.';
  if (!NAME.test(name)) return 'Names have letters, digits, “.”, “-” and “_”, and do not begin with a dot; “/” makes folders.';
  if (taken.includes(`${folder}${name}`)) return 'There is a file of this name already.';
  return null;
}
