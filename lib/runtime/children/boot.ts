import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { codeFileIn, KEEP_CODE } from '../code-file.ts';
import { onWarm } from './warm.ts';

/**
 * What Node is started on: it runs the program beside it, with the code that V8 made of it in an earlier process where that was
 * kept. Compiling it anew took a third of the time of a start. V8 refuses code that is of another program or version; a program
 * without it is compiled as ever. Every function of the program counts as being in this file, so that stacks know one file of ours.
 */
const CODE = codeFileIn(__dirname);
const script = new vm.Script(fs.readFileSync(path.join(__dirname, 'program.js'), 'latin1'), {
  filename: __filename,
  cachedData: keptCode(),
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
// Functions are compiled when they are first called, so what is kept is what there is after the motions.
if (process.argv[2] === KEEP_CODE) onWarm(keepCode);
const program: unknown = script.runInThisContext();
if (typeof program !== 'function') throw new Error('program.js is not what it was made as; remove this folder, and it is made anew');
Reflect.apply(program, undefined, [require, pathToFileURL(__filename).href]);

function keptCode(): Buffer | undefined {
  try {
    return fs.readFileSync(CODE);
  } catch {
    return undefined;
  }
}

/** Put in place whole; where it cannot be written, the next start of the server tries again. */
function keepCode(): void {
  const draft = `${CODE}.${process.pid}`;
  try {
    fs.writeFileSync(draft, script.createCachedData());
    fs.renameSync(draft, CODE);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
