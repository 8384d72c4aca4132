import { existsSync } from 'node:fs';
import { LIMITS } from '#lib/contract/limits.ts';
import { type FramedProcess, startFramedProcess } from './framed-process.ts';
import { NO_MARK, type OwnerMark } from './orphan-guard.ts';
import type { FrameLimits } from './frames.ts';

/** Start options of every Node process of this runtime. */
export interface NodeProcessSettings {
  readonly childProgram: string;
  readonly prefix: readonly string[];
  readonly memoryMb: number;
  readonly maxResultBytes: number;
  readonly workspaceRoot: string;
  /** Common to all extensions; an extension's own variables are in the load message. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absent: it runs untrusted code with only the permissions of its flags. */
  readonly isLimited?: false;
}

const HEADER_BYTES = 65_536;
/** Descriptions and errors may exceed a small result limit. */
const LEAST_FRAME_BYTES = 8 * LIMITS.bodyBytes;

const COMMON_FLAGS = [
  '--disable-proto=delete',
  '--enable-source-maps',
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=SecurityWarning',
];

/** Starts a Node process that waits for its load message; the flags are its permissions. */
export function startNodeProcess(settings: NodeProcessSettings, flags: readonly string[], mark: OwnerMark = NO_MARK): FramedProcess {
  const limited = settings.isLimited === false ? [] : ['--permission'];
  const args = [...limited, ...COMMON_FLAGS, `--max-old-space-size=${settings.memoryMb}`, ...flags, settings.childProgram];
  const [first, ...rest] = [...mark.prefix, ...settings.prefix, process.execPath, ...args];
  return startFramedProcess({
    command: [first ?? process.execPath, ...rest],
    environment: { ...withoutStartOptions(settings.environment), ...mark.environment },
    workingDirectory: existsSync(settings.workspaceRoot) ? settings.workspaceRoot : '/',
    limits: frameLimits(settings.maxResultBytes),
  });
}

/** Limits for frames of a child. */
export function frameLimits(maxResultBytes: number): FrameLimits {
  return { maxHeaderBytes: HEADER_BYTES, maxFrameBytes: Math.max(LEAST_FRAME_BYTES, maxResultBytes) + HEADER_BYTES + 8 };
}

/** Removes variables that change how Node starts: they could restore denied permissions. */
export function withoutStartOptions(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !START_OPTIONS.test(name)));
}

const START_OPTIONS = /^(?:NODE_(?:OPTIONS|CHANNEL.*|UNIQUE_ID|V8_COVERAGE|COMPILE_CACHE|REPL.*|PENDING.*)|LD_PRELOAD|LD_AUDIT)$/;
