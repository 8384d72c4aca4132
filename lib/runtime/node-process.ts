import { existsSync } from 'node:fs';
import { LIMITS } from '#lib/contract/limits.ts';
import { startFramedProcess } from './framed-process.ts';
import { NO_MARK } from './orphan-guard.ts';
import type { OwnerMark } from './orphan-guard.ts';
import type { FramedProcess } from './framed-process.ts';
import type { FrameLimits } from './frames.ts';

/** What every Node process of this runtime is started with. */
export interface NodeProcessSettings {
  readonly childProgram: string;
  readonly prefix: readonly string[];
  readonly memoryMb: number;
  readonly maxResultBytes: number;
  readonly workspaceRoot: string;
  /** Common to all extensions; what is an extension's own travels in the load message. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absent: it runs foreign code and gets no right that its flags do not name. */
  readonly isLimited?: false;
}

const HEADER_BYTES = 65_536;
/** Descriptions and errors may be larger than a small limit on results. */
const LEAST_FRAME_BYTES = 8 * LIMITS.bodyBytes;

const COMMON_FLAGS = [
  '--disable-proto=delete',
  '--enable-source-maps',
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=SecurityWarning',
];

/** Starts a Node process that waits for its load message; the flags say what it may do. */
export function startNodeProcess(settings: NodeProcessSettings, flags: readonly string[], mark: OwnerMark = NO_MARK): FramedProcess {
  const limited = settings.isLimited === false ? [] : ['--permission'];
  const args = [...limited, ...COMMON_FLAGS, `--max-old-space-size=${settings.memoryMb}`, ...flags, settings.childProgram];
  const [first, ...rest] = [...mark.prefix, ...settings.prefix, process.execPath, ...args];
  return startFramedProcess({
    command: [first ?? process.execPath, ...rest],
    environment: { ...withoutSteering(settings.environment), ...mark.environment },
    workingDirectory: existsSync(settings.workspaceRoot) ? settings.workspaceRoot : '/',
    limits: frameLimits(settings.maxResultBytes),
  });
}

/** What a child may send. */
export function frameLimits(maxResultBytes: number): FrameLimits {
  return { maxHeaderBytes: HEADER_BYTES, maxFrameBytes: Math.max(LEAST_FRAME_BYTES, maxResultBytes) + HEADER_BYTES + 8 };
}

/** What would change how Node itself starts could give back the rights that the flags take. */
export function withoutSteering(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !STEERING.test(name)));
}

const STEERING = /^(?:NODE_(?:OPTIONS|CHANNEL.*|UNIQUE_ID|V8_COVERAGE|COMPILE_CACHE|REPL.*|PENDING.*)|LD_PRELOAD|LD_AUDIT)$/;
