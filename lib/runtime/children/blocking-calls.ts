/**
 * Advice on tools that block: while a call of Node's that ends in `Sync` waits for the disk or another program, the whole process
 * of the extension does. Read off the function's own text, as it was built; what other functions do on its behalf is not seen.
 */
const FILES =
  'access|appendFile|chmod|copyFile|cp|lstat|mkdir|mkdtemp|opendir|readFile|readdir|readlink|realpath|rename|rm|rmdir|stat|symlink|unlink|writeFile';
const PROGRAMS = 'exec|execFile|spawn';
/** A name may have got a number where two files use it. */
const CALL = new RegExp(String.raw`(?<![\w$])(?:(${PROGRAMS}|${FILES})Sync\d*|(Atomics\.wait))\s*\)?\s*\(`, 'gu');
const MOST = 3;

/** Empty for what is no function, and for one that blocks nothing. */
export function blockingAdvice(run: unknown, name: 'execute' | 'run'): readonly string[] {
  if (typeof run !== 'function') return [];
  const found = new Map<string, string>();
  for (const [, call, wait] of Function.prototype.toString.call(run).matchAll(CALL)) {
    if (wait !== undefined) found.set(wait, 'Await a timer of node:timers/promises');
    else if (call !== undefined && new RegExp(`^(?:${PROGRAMS})$`, 'u').test(call))
      found.set(`${call}Sync`, `Await \`${call}\` of node:child_process (by \`promisify\`, or its events)`);
    else if (call !== undefined) found.set(`${call}Sync`, `Await \`${call}\` of node:fs/promises`);
  }
  return [...found]
    .slice(0, MOST)
    .map(
      ([call, instead]) =>
        `\`${name}\` calls \`${call}\`, which blocks: until it is back, no other call of this extension goes on and none can be cancelled. ${instead} instead.`,
    );
}
