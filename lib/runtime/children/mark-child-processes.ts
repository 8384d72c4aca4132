import { syncBuiltinESMExports } from 'node:module';
import { OWNER_VARIABLE } from '../owner-variable.ts';

/**
 * Programs that an extension starts get the mark of its process, whatever their environment, so that leftovers can be found and
 * ended with the process. The extension does not see the mark among its variables.
 *
 * What can go wrong: a Node release moves the wrapped functions (programs are then found by their process group alone).
 */
export function markChildProcesses(mark: string | undefined): void {
  if (mark === undefined || process.permission?.has('child') === false) return;
  const module = process.getBuiltinModule('node:child_process');
  carryThroughSpawn(module, `${OWNER_VARIABLE}=${mark}`);
  for (const name of ['spawnSync', 'execSync', 'execFileSync'] as const) carryThroughSync(module, name, mark);
  syncBuiltinESMExports();
}

/** All asynchronous ways to start a program use `spawn`. */
function carryThroughSpawn(module: object, pair: string): void {
  const ChildProcess: unknown = Reflect.get(module, 'ChildProcess');
  const prototype: unknown = typeof ChildProcess === 'function' ? ChildProcess.prototype : undefined;
  if (!isObject(prototype)) return;
  const spawn: unknown = Reflect.get(prototype, 'spawn');
  if (typeof spawn !== 'function') return;
  Reflect.set(prototype, 'spawn', function (this: unknown, options: unknown, ...rest: unknown[]): unknown {
    const pairs: unknown = isObject(options) ? Reflect.get(options, 'envPairs') : undefined;
    if (Array.isArray(pairs)) pairs.push(pair);
    const made: unknown = Reflect.apply(spawn, this, [options, ...rest]);
    return made;
  });
}

function carryThroughSync(module: object, name: string, mark: string): void {
  const run: unknown = Reflect.get(module, name);
  if (typeof run !== 'function') return;
  const carrying = (...args: unknown[]): unknown => {
    const at = args.findIndex((value, place) => place > 0 && isObject(value) && !Array.isArray(value));
    const given = args[at];
    const options: object = isObject(given) ? given : {};
    const env: unknown = Reflect.get(options, 'env');
    const marked = { ...options, env: { ...(isObject(env) ? env : process.env), [OWNER_VARIABLE]: mark } };
    const made: unknown = Reflect.apply(run, undefined, at < 0 ? [...args, marked] : args.with(at, marked));
    return made;
  };
  Reflect.set(module, name, Object.defineProperty(carrying, 'name', { value: name }));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
