import { execFile } from 'node:child_process';
import type { ExecFileException } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import { isExhausted } from '#lib/contract/exhaustion.ts';
import type { RawDescription, RawFailure } from './runtime.ts';

/**
 * The Python for an extension: the `.venv` in its folder, else the configured one, found on PATH. It is asked once for its version
 * and its real path, since it may be a script that searches for another one at every start. On an overloaded machine it may not
 * answer in time: such a load is repeated, because Python is not missing.
 */
export interface PythonInterpreters {
  /**
   * @param folder of the extension; null without a `.venv`
   * @param dependencies virtual environment with its installed dependencies; comes first
   */
  find(folder: string | null, dependencies?: string): Promise<FoundInterpreter>;
}

type FoundInterpreter =
  /** `isOwn`: of this extension only. */
  | {
      readonly ok: true;
      readonly program: string;
      readonly version: string;
      readonly isOwn: boolean;
      /** Its module folders; the installed packages in them. */
      readonly path: readonly string[];
    }
  | { readonly ok: false; readonly failure: RawFailure };

interface PythonInterpretersOptions {
  /** A name on PATH or a path: the setting PYTHON. */
  readonly python: string;
  /** Its environment, the same as for extensions; PATH is searched for it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Time for its answer. */
  readonly answersWithinMs?: number;
}

interface Probed {
  readonly program: string;
  readonly version: string;
  readonly path: readonly string[];
}

/** It did not answer; null: it is no Python. */
interface Unanswered {
  readonly failure: RawFailure | null;
}

const PROBE_MS = 10_000;
const PROBE = 'import sys; print(sys.executable); print("%d.%d.%d" % tuple(sys.version_info[:3])); print(*sys.path, sep="\\n")';
const OLDEST: readonly [number, number] = [3, 10];
const INSTALL = `Install Python ${OLDEST.join('.')} or newer so that \`python3\` is on the PATH of the server, or set PYTHON to its path; then restart the server.`;

export function createPythonInterpreters({
  python,
  environment,
  answersWithinMs = PROBE_MS,
}: PythonInterpretersOptions): PythonInterpreters {
  const known = new Map<string, Promise<Probed | Unanswered>>();

  /** Asked again after a failure: it may have been installed since. */
  const probe = (file: string): Promise<Probed | Unanswered> => {
    const asked = known.get(file) ?? ask(file, environment, answersWithinMs);
    known.set(file, asked);
    void asked.then((answer) => 'failure' in answer && known.delete(file));
    return asked;
  };

  return {
    async find(folder, dependencies) {
      const place = dependencies ?? join(folder ?? '', '.venv');
      const own = join(place, ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']));
      const isOwn = (folder !== null || dependencies !== undefined) && (await isExecutable(own));
      if (dependencies !== undefined && !isOwn)
        return missing(
          'The environment with its dependencies has been removed.',
          'Press Reload: it is installed again, or the page offers to install it.',
        );
      const file = isOwn ? own : await locate(python, environment['PATH'] ?? '');
      if (file === null) {
        const message = `Python not found: no program called "${python}" ${python.includes(sep) ? 'can be run' : 'was found on the PATH of the server'}.`;
        return missing(message, INSTALL);
      }
      const probed = await probe(file);
      if ('failure' in probed && probed.failure !== null) return { ok: false, failure: probed.failure };
      if ('failure' in probed)
        return missing(
          `${file} is there, but it cannot be run as Python.`,
          isOwn ? 'Recreate the `.venv` in the folder: `python3 -m venv .venv`.' : INSTALL,
        );
      if (isTooOld(probed.version))
        return missing(`${file} is Python ${probed.version}; extensions need ${OLDEST.join('.')} or newer.`, INSTALL);
      return { ok: true, program: probed.program, version: probed.version, isOwn, path: probed.path };
    },
  };
}

function missing(message: string, hint: string): FoundInterpreter {
  return { ok: false, failure: { code: 'runtime_missing', message, hint } };
}

async function locate(python: string, searchPath: string): Promise<string | null> {
  if (isAbsolute(python)) return (await isExecutable(python)) ? python : null;
  for (const folder of searchPath.split(delimiter).filter((one) => isAbsolute(one))) {
    const file = join(folder, process.platform === 'win32' ? `${python}.exe` : python);
    if (await isExecutable(file)) return file;
  }
  return null;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function ask(file: string, environment: Readonly<Record<string, string>>, limitMs: number): Promise<Probed | Unanswered> {
  return new Promise((resolve) => {
    const env = { ...environment } as NodeJS.ProcessEnv;
    execFile(file, ['-I', '-c', PROBE], { timeout: limitMs, encoding: 'utf8', env }, (error, stdout) => {
      if (error !== null) return resolve({ failure: temporaryFailure(error, file, limitMs) });
      const [program, version, ...path] = stdout.split(/\r?\n/);
      const isPython = program !== undefined && program !== '' && version !== undefined && version !== '';
      resolve(isPython ? { program, version, path: path.filter((folder) => isAbsolute(folder)) } : { failure: null });
    });
  });
}

/** Null: it is no Python, or a broken one. */
function temporaryFailure(error: ExecFileException, file: string, limitMs: number): RawFailure | null {
  if (error.killed === true)
    return {
      code: 'start_timeout',
      message: `${file} was started but did not name its version within ${limitMs.toLocaleString('en')} ms.`,
    };
  const failure = { code: 'spawn_failed', message: `${file} could not be started: ${error.message}` } as const;
  return isExhausted(failure) ? failure : null;
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** The failure with the line that the child found for this part of the exports, or for its nearest ancestor. */
export function locateInPython(failure: RawFailure, { places }: RawDescription): RawFailure {
  if (failure.line !== undefined || failure.subject === undefined || places === undefined) return failure;
  for (let length = failure.subject.length; length > 0; length -= 1) {
    const place = places[failure.subject.slice(0, length).join('/')];
    if (place !== undefined) return { ...failure, line: place[0], column: place[1] };
  }
  return failure;
}
