import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import path from 'node:path';

/**
 * Version managers such as pyenv put a script on PATH that searches for the Python at every start, which takes longer than Python
 * itself, and tests start hundreds. Puts the folder of the Python it finds first on PATH, for this process and its children.
 */
export function findTestPython() {
  if (process.platform === 'win32') return;
  const { PATH = '' } = process.env;
  const files = PATH.split(path.delimiter).map((folder) => path.join(folder, 'python3'));
  if (startOf(files) !== '#!') return;
  const { stdout, status } = spawnSync('python3', ['-I', '-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  const folder = path.dirname(stdout?.trim() ?? '');
  if (status === 0 && existsSync(path.join(folder, 'python3'))) process.env.PATH = [folder, PATH].join(path.delimiter);
}

let isCompiled = false;

/**
 * Python processes read compiled sources, but write none: without them each start takes twice as long. The compiled sources contain
 * the hash of their source, so an older one is not used.
 */
export function compilePythonProgram() {
  if (isCompiled) return;
  isCompiled = true;
  const options = ['-I', '-m', 'compileall', '-q', '--invalidation-mode', 'checked-hash'];
  spawnSync('python3', [...options, path.resolve(import.meta.dirname, '../../lib/runtime/children/python')]);
}

/** First two bytes of the first file that exists. */
function startOf(files) {
  for (const file of files) {
    let opened;
    try {
      opened = openSync(file, 'r');
    } catch {
      continue;
    }
    const bytes = Buffer.alloc(2);
    readSync(opened, bytes, 0, bytes.length, 0);
    closeSync(opened);
    return bytes.toString();
  }
  return '';
}
