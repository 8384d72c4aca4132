import { syncBuiltinESMExports } from 'node:module';
import { OWNER_MARK } from '../owner-mark.ts';

/**
 * Programs that an extension starts get the mark of its process, whatever environment they are given, so that what is left of
 * them can be found and ended when the process is gone. The extension itself does not see it among its variables.
 *
 * What can go wrong: Node moves what is wrapped here (then programs are found by their process group alone).
 */
export function carryMark(mark: string | undefined): void {
  if (mark === undefined || process.permission?.has('child') === false) return;
  const module = process.getBuiltinModule('node:child_process');
  carryThroughSpawn(module, `${OWNER_MARK}=${mark}`);
  for (const name of ['spawnSync', 'execSync', 'execFileSync'] as const) carryThroughSync(module, name, mark);
  syncBuiltinESMExports();
}

/** What every way of starting a program without waiting for it comes to. */
function carryThroughSpawn(module: object, pair: string): void {
  const ChildProcess: unknown = Reflect.get(module, 'ChildProcess');
  const prototype: unknown = typeof ChildProcess === 'function' ? ChildProcess.prototype : undefined;
  if (typeof prototype !== 'object' || prototype === null) return;
  const spawn: unknown = Reflect.get(prototype, 'spawn');
  if (typeof spawn !== 'function') return;
  Reflect.set(prototype, 'spawn', function (this: unknown, options: unknown, ...rest: unknown[]): unknown {
    const pairs: unknown = typeof options === 'object' && options !== null ? Reflect.get(options, 'envPairs') : undefined;
    if (Array.isArray(pairs)) pairs.push(pair);
    return Reflect.apply(spawn, this, [options, ...rest]);
  });
}

function carryThroughSync(module: object, name: string, mark: string): void {
  const run: unknown = Reflect.get(module, name);
  if (typeof run !== 'function') return;
  const carrying = (...args: unknown[]): unknown => {
    const at = args.findIndex((value, place) => place > 0 && typeof value === 'object' && value !== null && !Array.isArray(value));
    const given: unknown = at < 0 ? {} : args[at];
    const env: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, 'env') : undefined;
    const options = { ...Object(given), env: { ...(typeof env === 'object' && env !== null ? env : process.env), [OWNER_MARK]: mark } };
    return Reflect.apply(run, undefined, at < 0 ? [...args, options] : args.with(at, options));
  };
  Reflect.set(module, name, Object.defineProperty(carrying, 'name', { value: name }));
}
