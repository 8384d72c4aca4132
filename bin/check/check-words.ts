import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findWords } from './find-words.ts';

const root = path.dirname(path.dirname(import.meta.dirname));
const FOLDERS = ['app', 'bench', 'bin', 'components', 'docs', 'e2e', 'extensions', 'lib'];
const CHECKED = /\.(css|md|ts|tsx|mts|mjs|js|py)$/;
const sources = new Map<string, string>();

for (const entry of readdirSync(root, { withFileTypes: true })) {
  if (entry.isFile()) add(entry.name);
}
for (const folder of FOLDERS) {
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true, recursive: true })) {
    const file = path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/');
    if (entry.isFile() && !file.includes('node_modules/')) add(file);
  }
}
const { violations, clean } = findWords(sources);
for (const violation of violations) console.log(violation);
for (const folder of clean) console.log(`${folder} is clean: remove it from NOT_CHECKED in bin/check/words.ts.`);
console.log(`${sources.size} files, ${violations.length} terms to replace`);
process.exitCode = violations.length === 0 ? 0 : 1;

function add(file: string): void {
  if (CHECKED.test(file) && file !== 'next-env.d.ts') sources.set(file, readFileSync(path.join(root, file), 'utf8'));
}
