import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findImportViolations } from './find-import-violations.ts';
import { FILES_CHECKED, TOP_FOLDERS } from './modules.ts';

const root = path.dirname(path.dirname(import.meta.dirname));
const sources = new Map<string, string>();

for (const entry of readdirSync(root, { withFileTypes: true })) {
  if (entry.isFile() && entry.name !== 'next-env.d.ts') add(entry.name);
}
for (const folder of TOP_FOLDERS) {
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true, recursive: true })) {
    const file = path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/');
    if (entry.isFile() && !file.includes('/node_modules/')) add(file);
  }
}
const violations = findImportViolations(sources);
for (const violation of violations) console.log(violation);
console.log(`${sources.size} files, ${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;

function add(file: string): void {
  sources.set(file, FILES_CHECKED.test(file) ? readFileSync(path.join(root, file), 'utf8') : '');
}
