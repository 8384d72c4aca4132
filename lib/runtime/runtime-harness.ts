import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CallLog, CallProgress } from '#lib/contract/call.ts';
import { pythonProgram } from '#lib/loader/python-builder.ts';
import type {
  Artifact,
  CallOutcome,
  DescribeExtension,
  Incident,
  LoadOutcome,
  RawFailure,
  RunningExtension,
  Runtime,
  ToolDescription,
} from './runtime.ts';
import { isRecord } from './frames.ts';

/** Helpers for tests of a runtime: load a fixture, call it, observe events. */
export interface RuntimeHarness {
  readonly runtime: Runtime;
  readonly incidents: Incident[];
  load(fixture: string, options?: { signal?: AbortSignal; describe?: DescribeExtension }): Promise<LoadOutcome>;
  /** Fails the test if the fixture does not load. */
  start(fixture: string): Promise<RunningExtension>;
  /** Fails the test if the fixture loads. */
  fail(fixture: string): Promise<RawFailure>;
  failures(): readonly RawFailure[];
  /** Waits until the condition holds, limited by the test's timeout. */
  until(holds: () => boolean): Promise<void>;
}

export interface CallRecord {
  readonly outcome: Promise<CallOutcome>;
  readonly logs: CallLog[];
  readonly progress: CallProgress[];
  cancel(): void;
}

/** @param describe replaces the loader's validation */
export function createRuntimeHarness(
  runtime: Runtime,
  artifactOf: (fixture: string) => Artifact,
  describe: DescribeExtension = describeForTests,
): RuntimeHarness {
  const incidents: Incident[] = [];
  const onIncident = (incident: Incident): void => {
    incidents.push(incident);
  };
  const load: RuntimeHarness['load'] = (fixture, options = {}) =>
    runtime.load(artifactOf(fixture), {
      signal: options.signal ?? new AbortController().signal,
      describe: options.describe ?? describe,
      onIncident,
    });
  return {
    runtime,
    incidents,
    load,
    async start(fixture) {
      const outcome = await load(fixture);
      if (!outcome.ok) throw new Error(`${fixture} did not load: ${outcome.failure.code}: ${outcome.failure.message}`);
      return outcome.extension;
    },
    async fail(fixture) {
      const outcome = await load(fixture);
      if (outcome.ok) throw new Error(`${fixture} loaded, though it should not`);
      return outcome.failure;
    },
    failures: () => incidents.flatMap((incident) => (incident.type === 'failure' ? [incident.failure] : [])),
    async until(holds) {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

export function startCall(extension: RunningExtension, tool: string, args: unknown = {}, timeoutMs = 45_000): CallRecord {
  const logs: CallLog[] = [];
  const progress: CallProgress[] = [];
  const abort = new AbortController();
  const outcome = extension.callTool(tool, JSON.stringify(args), {
    callId: randomUUID(),
    timeoutMs,
    signal: abort.signal,
    onLog: (log) => logs.push(log),
    onProgress: (step) => progress.push(step),
  });
  return { outcome, logs, progress, cancel: () => abort.abort() };
}

export function call(extension: RunningExtension, tool: string, args: unknown = {}, timeoutMs = 45_000): Promise<CallOutcome> {
  return startCall(extension, tool, args, timeoutMs).outcome;
}

/** The result of a call that must succeed. */
export async function resultOf(extension: RunningExtension, tool: string, args: unknown = {}): Promise<unknown> {
  const outcome = await call(extension, tool, args);
  if (outcome.status !== 'succeeded') throw new Error(`${tool} did not succeed: ${outcome.error.kind}: ${outcome.error.message}`);
  return JSON.parse(outcome.resultText);
}

/** Replaces the loader's validation in tests of this package: trusts the extension's description. */
const describeForTests: DescribeExtension = (raw) => {
  const listed = raw.values['TOOLS'] ?? [raw.values['TOOL']];
  const tools = Array.isArray(listed) ? listed.filter(isRecord).map(toTool) : [];
  const channel = 'recv' in raw.values ? ({ send: raw.sendParameters === 2 ? 'answer' : 'message' } as const) : null;
  return {
    ok: true,
    description: { name: 'test', description: '', instructions: '', tools, hasStatus: raw.hasStatus, channel, warnings: [] },
  };
};

function toTool(tool: Readonly<Record<string, unknown>>): ToolDescription {
  const { name, label, description, parameters, output_schema: outputSchema } = tool;
  return {
    name: String(name),
    label: String(label),
    description: String(description),
    parameters: isRecord(parameters) ? parameters : {},
    outputSchema: isRecord(outputSchema) ? outputSchema : null,
    annotations: {},
    timeoutMs: null,
    examples: [],
    warnings: [],
  };
}

const FIXTURES = fileURLToPath(new URL('../runtime/fixtures/python', import.meta.url));

/** The artifact of a fixture as the loader builds it, with its program file in `place`. */
export function pythonArtifact(fixture: string, place: string): Artifact {
  const entryFile = join(FIXTURES, `${fixture}.py`);
  const programFile = join(place, `${fixture}.json`);
  const kind: Artifact['kind'] = fixture.startsWith('channel-') ? 'channel' : 'tools';
  const candidate = { kind, folder: FIXTURES, entryFile };
  mkdirSync(place, { recursive: true });
  writeFileSync(programFile, pythonProgram(candidate, new Map([[entryFile, readFileSync(entryFile)]])));
  return { ...candidate, extension: fixture, runtime: 'python', contentHash: fixture, programFile };
}
