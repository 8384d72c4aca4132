import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXHAUSTED_HINT, isExhausted } from '#lib/contract/exhaustion.ts';
import type {
  Artifact,
  DescribeExtension,
  ExtensionDescription,
  Incident,
  LoadedFile,
  RawFailure,
  ReviveOptions,
  RunningExtension,
  Runtime,
} from '#lib/runtime/runtime.ts';
import type { RevisionRow, Store } from '#lib/store/store.ts';
import type { Span, Tracer } from '#lib/contract/tracing.ts';
import {
  type Builder,
  type BuildInput,
  type BuildOutcome,
  type BuildRecord,
  type Candidate,
  type PackagesOf,
  readBuildRecord,
  readDescription,
  writeBuildRecord,
} from './build.ts';
import { describeServer } from './describe-server.ts';
import type { EarlyBuild } from './early-build.ts';
import { changedInputs, existing, readFileFacts, NOTHING_LOADED, ownLoaded, readLoaded } from './loaded-files.ts';
import type { Loaded } from './loaded-files.ts';
import { inPython } from './python-messages.ts';

/** The steps of a load; each begins when the one before ends. */
interface LoadSteps {
  begin(step: 'build' | 'start' | 'describe'): void;
}

/** The result of trying one source. Nothing is registered or stored yet; the commit does that, or closes `running`. */
export type LoadResult =
  | {
      readonly kind: 'loaded';
      readonly contentHash: string;
      readonly description: ExtensionDescription;
      readonly running: RunningExtension;
      readonly build: string;
      readonly inputs: readonly BuildInput[];
      readonly missing: readonly string[];
      readonly sources: Readonly<Record<string, string>>;
      readonly loaded: Loaded;
      /** Whether an earlier description was trusted and nothing ran. */
      readonly isRevived: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly contentHash: string | null;
      readonly failure: RawFailure;
      readonly build: string | null;
      readonly inputs: readonly BuildInput[];
      readonly missing: readonly string[];
      readonly sources: Readonly<Record<string, string>>;
      readonly loaded: Loaded;
    }
  /** The source equals the serving one again: the failed attempt in between is dropped, and the process continues. */
  | (Unloaded & { readonly kind: 'restored'; readonly contentHash: string })
  /** The source was tried before and no retry was requested. */
  | (Unloaded & { readonly kind: 'unchanged' });

interface Unloaded {
  readonly inputs: readonly BuildInput[];
  readonly missing: readonly string[];
  readonly loaded: Loaded;
}

export interface LoadTools {
  readonly extensionsDir: string;
  readonly steps: LoadSteps;
  readonly builder: Builder;
  readonly store: Store;
  readonly describe: DescribeExtension;
  readonly packagesOf: PackagesOf;
  /** Whether all of these secrets are set. */
  hasSecrets(names: readonly string[]): boolean;
}

export interface LoadRequest {
  readonly candidate: Candidate;
  readonly runtime: Runtime;
  /** Hash of the source tried last; null to load in any case. */
  readonly knownHash: string | null;
  /** Hash of the serving, healthy source; null without one. */
  readonly servingHash: string | null;
  /** Files loaded at run time by processes of the source tried last. */
  readonly loaded: Loaded;
  /** Called as soon as the input files of the load are known. */
  onBuilt(built: Pick<BuildOutcome, 'inputs' | 'missing'>): void;
  /** Called with the names of the secrets that its source uses. */
  onSecrets(names: readonly string[]): void;
  /** Whether a stored description from an earlier run of the host may be trusted. */
  readonly mayRevive: boolean;
  /** Builds made ahead, which may include this one. */
  readonly early: EarlyBuild | null;
  readonly signal: AbortSignal;
  onIncident(incident: Incident): void;
}

export async function loadCandidate(tools: LoadTools, request: LoadRequest): Promise<LoadResult> {
  const { candidate } = request;
  const { runtime } = request;
  if (request.mayRevive) {
    const revived = await reviveUnchanged(tools, request);
    if (revived !== null) return revived;
  }
  tools.steps.begin('build');
  const built = (await request.early?.built(candidate)) ?? (await tools.builder.build(candidate));
  request.onBuilt(built);
  if (!built.ok) {
    const { loaded } = request;
    // Removed since the scan: no source was tried, and the next scan withdraws it.
    if ((await readFileFacts(candidate.entryFile)) === null)
      return { kind: 'unchanged', inputs: built.inputs, missing: built.missing, loaded };
    if (built.contentHash === request.knownHash) return { kind: 'unchanged', inputs: built.inputs, missing: built.missing, loaded };
    return {
      kind: 'failed',
      contentHash: built.contentHash,
      failure: built.failure,
      build: null,
      inputs: built.inputs,
      missing: built.missing,
      sources: built.sources,
      loaded,
    };
  }
  const { artifact, uses } = built;
  const builtHash = artifact.contentHash;
  const secrets = artifact.secrets ?? [];
  request.onSecrets(secrets);
  const place = { folder: candidate.folder, extensionsDir: tools.extensionsDir };
  const before = await readLoaded(request.loaded.paths, builtHash, place);
  const known = {
    inputs: [...built.inputs, ...before.inputs],
    missing: [...built.missing, ...withoutRead(request.loaded.paths, before.inputs)],
    loaded: { ...request.loaded, builtHash },
  };
  if (before.contentHash === request.knownHash) return { kind: 'unchanged', ...known };
  if (before.contentHash === request.servingHash) return { kind: 'restored', contentHash: before.contentHash, ...known };
  // Runs in parallel with the load, which takes longer.
  const asked = tools.packagesOf(candidate, uses);
  const record = async ({ inputs, missing, loaded }: Unloaded): Promise<string> =>
    writeBuildRecord({
      programFile: artifact.programFile,
      root: tools.extensionsDir,
      secrets: [...secrets],
      inputs: [...inputs],
      missing: [...missing],
      loaded: { paths: [...loaded.paths], builtHash: loaded.builtHash },
      uses: [...uses],
      packages: { ...(candidate.runtime === 'python' && built.packages !== null ? {} : await asked), ...built.packages },
      environment: artifact.environment ?? null,
    });
  const described =
    request.mayRevive && !built.isNew && tools.hasSecrets(secrets)
      ? currentDescription(await tools.store.revisions.find(candidate.id, artifact.contentHash))
      : null;
  if (described !== null) {
    const running = runtime.revive(artifact, described, reviveOptions(candidate, request.onIncident));
    const files = { inputs: built.inputs, missing: built.missing, loaded: NOTHING_LOADED };
    return {
      kind: 'loaded',
      contentHash: builtHash,
      description: described,
      running,
      build: await record(files),
      ...files,
      sources: built.sources,
      isRevived: true,
    };
  }
  const describe =
    candidate.runtime === 'mcp' ? describeServer : candidate.runtime === 'python' ? inPython(tools.describe) : tools.describe;
  tools.steps.begin('start');
  /** Null: the load is already complete. */
  let loadedFiles: LoadedFile[] | null = [];
  const outcome = await runtime.load(artifact, {
    signal: request.signal,
    describe(raw) {
      tools.steps.begin('describe');
      return describe(raw);
    },
    ...reviveOptions(candidate, (incident) => {
      if (incident.type === 'loaded' && loadedFiles !== null) loadedFiles.push(...incident.files);
      else request.onIncident(incident);
    }),
  });
  const facts = ownLoaded(loadedFiles, candidate, tools.extensionsDir);
  loadedFiles = null;
  // Files that only a call loads are not loaded yet, but still belong to the source.
  const later =
    request.loaded.builtHash === builtHash ? request.loaded.paths.filter((file) => before.inputs.some((input) => input.path === file)) : [];
  const isBuilt = new Set(built.inputs.map((input) => input.path));
  const paths = [...new Set([...facts.map((file) => file.path), ...later])].filter((file) => !isBuilt.has(file)).toSorted();
  const { contentHash, ...content } = await readLoaded(paths, builtHash, place, facts);
  const files = {
    inputs: [...built.inputs, ...content.inputs],
    missing: [...built.missing, ...withoutRead(paths, content.inputs)],
    loaded: { paths, builtHash },
  };
  const sources = { ...built.sources, ...content.sources };
  const build = await record(files);
  if (!outcome.ok) {
    const failure = (await tools.builder.hint?.(candidate, outcome.failure)) ?? outcome.failure;
    return { kind: 'failed', contentHash, failure, build, sources, ...files };
  }
  const { extension } = outcome;
  return {
    kind: 'loaded',
    contentHash,
    description: extension.description,
    running: extension,
    build,
    ...files,
    sources,
    isRevived: false,
  };
}

/** The unreadable ones of these paths; when one appears, the load is retried. */
function withoutRead(paths: readonly string[], inputs: readonly BuildInput[]): readonly string[] {
  const read = new Set(inputs.map((input) => input.path));
  return paths.filter((file) => !read.has(file));
}

/** Only an MCP server's tools may change while it runs. */
function reviveOptions({ runtime }: Candidate, onIncident: (incident: Incident) => void): ReviveOptions {
  return runtime === 'mcp' ? { onIncident, redescribe: describeServer } : { onIncident };
}

/** The fast start: when every file is unchanged since the last load, it neither reads nor builds. */
async function reviveUnchanged(tools: LoadTools, request: LoadRequest): Promise<LoadResult | null> {
  const { candidate, runtime } = request;
  const row = await tools.store.revisions.latest(candidate.id);
  const description = currentDescription(row);
  const record = readBuildRecord(row?.build ?? null);
  if (row === null || description === null || record === null) return null;
  if (!record.inputs.some((input) => input.path === candidate.entryFile)) return null;
  if ((await changedInputs(record.inputs)).length > 0 || (await existing(record.missing)).length > 0) return null;
  if (!tools.builder.isOwn(record.programFile) || !(await exists(record.programFile))) return null;
  if (record.environment !== null && !(await exists(record.environment))) return null;
  if (!tools.hasSecrets(record.secrets)) return null;
  request.onSecrets(record.secrets);
  const artifact = artifactOf(candidate, row.contentHash, record);
  const running = runtime.revive(artifact, description, reviveOptions(candidate, request.onIncident));
  return {
    kind: 'loaded',
    contentHash: row.contentHash,
    description,
    running,
    build: row.build ?? '',
    inputs: record.inputs,
    missing: record.missing,
    loaded: record.loaded,
    sources: {},
    isRevived: true,
  };
}

/**
 * Restores an earlier revision, from its program, else from its stored sources: another server on the same database may
 * have built it. Null when neither exists.
 */
export async function reviveRevision(
  { builder, hasSecrets }: Pick<LoadTools, 'builder' | 'hasSecrets'>,
  runtime: Runtime,
  candidate: Candidate,
  row: RevisionRow,
  onIncident: (incident: Incident) => void,
): Promise<{ description: ExtensionDescription; running: RunningExtension } | null> {
  const description = trustedDescription(row);
  const record = readBuildRecord(row.build);
  if (description === null || record === null || !row.runnable) return null;
  if (!hasSecrets(record.secrets)) return null;
  const hasEnvironment = record.environment === null || (await exists(record.environment));
  const isHere = hasEnvironment && builder.isOwn(record.programFile) && (await exists(record.programFile));
  const artifact = isHere ? artifactOf(candidate, row.contentHash, record) : await buildStored(builder, candidate, row);
  if (artifact === null) return null;
  return { description, running: runtime.revive(artifact, description, reviveOptions(candidate, onIncident)) };
}

async function buildStored(builder: Builder, candidate: Candidate, { contentHash, sources }: RevisionRow): Promise<Artifact | null> {
  if (candidate.runtime === 'mcp' || Object.keys(sources).length === 0) return null;
  const built = await builder.build(candidate, sources);
  return built.ok ? { ...built.artifact, contentHash } : null;
}

/** Null for a record of an earlier version, which lacks fields: the extension is loaded again. */
function currentDescription(row: RevisionRow | null): ExtensionDescription | null {
  const description = trustedDescription(row);
  return description?.kept === undefined ? null : description;
}

function trustedDescription(row: RevisionRow | null): ExtensionDescription | null {
  return row !== null && row.outcome === 'loaded' ? readDescription(row.description) : null;
}

function artifactOf(
  candidate: Candidate,
  contentHash: string,
  { programFile, secrets, environment }: Pick<BuildRecord, 'programFile' | 'secrets' | 'environment'>,
): Artifact {
  return {
    extension: candidate.id,
    kind: candidate.kind,
    runtime: candidate.runtime,
    contentHash,
    folder: candidate.folder,
    entryFile: candidate.entryFile,
    programFile,
    environment: environment ?? undefined,
    secrets,
  };
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}

const WAIT_MOST_MS = 30_000;
const RETRY_MS = 1_000;

/** Loads again each second while the system has no more processes or file descriptors, for a limited time. */
export async function loadWhenPossible(
  load: (isRetry: boolean) => Promise<LoadResult>,
  { runtime, signal }: { readonly runtime: Pick<Runtime, 'makeSpace'>; readonly signal: AbortSignal },
  onWait: (failure: RawFailure) => void,
  pauseMs = RETRY_MS,
): Promise<LoadResult> {
  const until = performance.now() + WAIT_MOST_MS;
  for (let isRetry = false; ; isRetry = true) {
    const result = await load(isRetry);
    if (result.kind !== 'failed' || !isExhausted(result.failure)) return result;
    if (signal.aborted || performance.now() >= until) return { ...result, failure: { ...result.failure, hint: EXHAUSTED_HINT } };
    if (!isRetry) onWait(result.failure);
    runtime.makeSpace?.();
    await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => undefined);
    if (signal.aborted) return result;
  }
}

const NO_STEPS: LoadSteps = { begin: () => undefined };

/** One span for a load and one for each of its steps; with ids and codes, without sources. */
export async function traceLoad(
  tracer: Tracer | null,
  { id, runtime }: Candidate,
  cause: string,
  load: (steps: LoadSteps) => Promise<LoadResult>,
): Promise<LoadResult> {
  if (tracer === null) return load(NO_STEPS);
  const attributes = { 'switchboard.extension': id, 'switchboard.runtime': runtime, 'switchboard.cause': cause };
  const span = tracer.begin(`load ${id}`, { attributes });
  let step: Span | null = null;
  const result = await load({
    begin(name) {
      step?.end();
      step = tracer.begin(name, { parent: span, attributes: { 'switchboard.extension': id } });
    },
  });
  const error = result.kind === 'failed' ? result.failure.code : null;
  endStep(step, error);
  span.set({ 'switchboard.outcome': outcomeOf(result), ...(error === null ? {} : { 'error.type': error }) });
  span.end(error);
  return result;
}

function endStep(step: Span | null, error: string | null): void {
  step?.end(error);
}

/** `revived`: an earlier description is trusted, and nothing ran. */
function outcomeOf(result: LoadResult): string {
  return result.kind === 'loaded' && result.isRevived ? 'revived' : result.kind;
}

/** The bundle or the database could not be written: an ordinary failure, retried by a reload. */
export function unwritable(candidate: Candidate, error: unknown): LoadResult {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    kind: 'failed',
    contentHash: null,
    failure: {
      code: 'spawn_failed',
      message: `The program of ${candidate.id} could not be written: ${reason}`,
      hint: 'Check the space and the permissions of DATA_DIR, then press Reload.',
      file: candidate.entryFile,
    },
    build: null,
    inputs: [],
    missing: [],
    sources: {},
    loaded: NOTHING_LOADED,
  };
}
