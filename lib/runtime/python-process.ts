import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startFramedProcess } from './framed-process.ts';
import { frameLimits, withoutSteering } from './node-process.ts';
import type { OwnerMark } from './orphan-guard.ts';
import type { FramedProcess } from './framed-process.ts';

/** What every Python process of this runtime is started with. */
export interface PythonProcessSettings {
  readonly interpreter: string;
  readonly prefix: readonly string[];
  readonly memoryMb: number;
  readonly maxResultBytes: number;
  readonly workspaceRoot: string;
  /** Common to all extensions; what is an extension's own travels in the load message. */
  readonly environment: Readonly<Record<string, string>>;
}

const PROGRAM = fileURLToPath(new URL('./children/python/main.py', import.meta.url));
/** Isolated from the environment and from the user's own packages; nothing is written beside the sources. */
const FLAGS = ['-I', '-B', '-X', 'utf8'];

/** Starts a Python process that waits for its load message. */
export function startPythonProcess(settings: PythonProcessSettings, mark: OwnerMark): FramedProcess {
  const { interpreter } = settings;
  const [first, ...rest] = [...mark.prefix, ...settings.prefix, interpreter, ...FLAGS, PROGRAM, String(settings.memoryMb)];
  return startFramedProcess({
    command: [first ?? interpreter, ...rest],
    environment: { ...withoutSteering(settings.environment), ...mark.environment },
    workingDirectory: existsSync(settings.workspaceRoot) ? settings.workspaceRoot : '/',
    limits: frameLimits(settings.maxResultBytes),
  });
}
