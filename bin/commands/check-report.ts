import type { Extension } from '#lib/contract/extension.ts';
import type { Failure } from '#lib/contract/failure.ts';
import type { Host } from '#lib/host/host.ts';

/** Result of a check, printed by `--json`. */
export interface CheckReport {
  readonly ok: boolean;
  /** Absolute. */
  readonly folder: string;
  readonly duration_ms: number;
  readonly extensions: readonly Extension[];
  /** Names of available tools. */
  readonly tools: readonly string[];
  readonly failures: readonly Failure[];
  readonly warnings: readonly CheckWarning[];
}

export interface CheckWarning {
  readonly extension: string;
  /** Relative to the folder. */
  readonly file: string;
  readonly message: string;
}

export function createReport(host: Host, folder: string, durationMs: number, isStrict: boolean): CheckReport {
  const { extensions } = host.extensions.list();
  const failures = extensions.flatMap((extension) => (extension.failure === null ? [] : [extension.failure]));
  const warnings = extensions.flatMap((extension) =>
    extension.warnings.map((message) => ({ extension: extension.id, file: extension.path, message })),
  );
  const loaded = extensions.every(({ state }) => ['ready', 'excluded', 'disabled'].includes(state));
  return {
    ok: loaded && failures.length === 0 && (!isStrict || warnings.length === 0),
    folder,
    duration_ms: durationMs,
    extensions,
    tools: host.tools.list().tools.flatMap((tool) => (tool.available ? [tool.name] : [])),
    failures,
    warnings,
  };
}
