import { existsSync } from 'node:fs';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes the license of every package whose code is in `dist`: those of the bundled files, of Next's files, and those that the
 * source maps of the pages name.
 */
export async function writeLicenses(root: string, target: string, bundled: readonly string[]): Promise<void> {
  const folders = new Set(bundled.map(packageOf).filter((folder) => folder !== null));
  for (const part of ['dist/node_modules', '.next/server', '.next/static']) {
    for (const entry of await readdir(path.join(root, part), { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (part.startsWith('dist')) addFolder(packageOf(path.relative(path.join(root, 'dist'), file)));
      else if (entry.name.endsWith('.map')) for (const source of await sourcesOf(file)) addFolder(packageOf(source));
    }
  }

  function addFolder(folder: string | null): void {
    if (folder !== null && existsSync(path.join(root, folder, 'package.json'))) folders.add(folder);
  }

  const texts = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    const files = (await readdir(path.join(root, folder))).filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file)).sort();
    const parts = await Promise.all(files.map((file) => readFile(path.join(root, folder, file), 'utf8')));
    const text = parts.length > 0 ? parts.map((part) => part.trim()).join('\n\n') : `License: ${String(license)}`;
    texts.set(text, [...(texts.get(text) ?? []), `${String(name)} ${String(version)}`]);
  }
  const sections = [...texts].map(([text, names]) => `${[...new Set(names)].join('\n')}\n\n${text}\n`);
  await writeFile(target, `Switchboard contains code of these packages.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`);
}

async function sourcesOf(map: string): Promise<readonly string[]> {
  const { sources = [], sections = [] } = JSON.parse(await readFile(map, 'utf8')) as {
    sources?: string[];
    sections?: { map: { sources?: string[] } }[];
  };
  return [...sources, ...sections.flatMap(({ map: { sources: more = [] } }) => more)];
}

/** The innermost package folder of a path, or null. */
function packageOf(file: string): string | null {
  const start = file.indexOf('node_modules/');
  if (start === -1) return null;
  const [found] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.slice(start)) ?? [];
  return found ?? null;
}
