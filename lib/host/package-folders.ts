import path from 'node:path';

/** Those of the program, and every `node_modules` that a file in this folder could import from, by Node's rule of walking up. */
export function packageFolders(programRoot: string, from: string): string[] {
  const folders = [path.join(programRoot, 'node_modules')];
  for (let folder = from; ; folder = path.dirname(folder)) {
    folders.push(path.join(folder, 'node_modules'));
    if (path.dirname(folder) === folder) return [...new Set(folders)];
  }
}
