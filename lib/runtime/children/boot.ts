import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { codeCacheFileIn, WRITE_CODE_CACHE } from '../code-cache-file.ts';
import { onWarm } from './warm.ts';

/**
 * Node's entry file: runs the program beside it with V8's code cache of an earlier process, if there is one. Compiling it took a
 * third of a start. V8 rejects the cache of another program or version; the program then compiles as usual. All functions of the
 * program appear in this file, so stacks contain one file of ours.
 */
const CODE = codeCacheFileIn(__dirname);
const script = new vm.Script(fs.readFileSync(path.join(__dirname, 'program.js'), 'latin1'), {
  filename: __filename,
  cachedData: readCodeCache(),
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
// Functions compile at their first call, so write the cache after the warm-up.
if (process.argv[2] === WRITE_CODE_CACHE) onWarm(writeCodeCache);
const program: unknown = script.runInThisContext();
if (typeof program !== 'function') throw new Error('program.js is damaged; remove this folder to rebuild it');
Reflect.apply(program, undefined, [require, pathToFileURL(__filename).href]);

function readCodeCache(): Buffer | undefined {
  try {
    return fs.readFileSync(CODE);
  } catch {
    return undefined;
  }
}

/** Written atomically; if it cannot be written, the next start of the server tries again. */
function writeCodeCache(): void {
  const draft = `${CODE}.${process.pid}`;
  try {
    fs.writeFileSync(draft, script.createCachedData());
    fs.renameSync(draft, CODE);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
