import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { ExtensionLoader } from '#lib/loader/extension-loader.ts';
import { leftOutInWords, type Served, type Slot } from '#lib/loader/extension-slot.ts';
import { currentVersion, recordFailure } from '#lib/loader/record-failure.ts';
import { reviveStored } from '#lib/loader/stored-revisions.ts';
import type { Incident, RunningExtension } from '#lib/runtime/runtime.ts';
import type { RefusedSavedCall, RevisionComparison, RevisionPair, ToolChange } from '#lib/contract/revision-comparison.ts';
import { readDescription } from '#lib/loader/build.ts';
import { compareTools } from '#lib/schema/compare-tools.ts';
import type { RevisionRow, Store } from '#lib/store/store.ts';
import type { Call, CallIssue } from '#lib/contract/call.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { unknownExtension } from './extension-actions.ts';

/**
 * Processes of older revisions, started for calls that request them; each ends when unused for a while. What can go
 * wrong: several callers request one at the same time (they share it); its extension is disabled or removed (it ends
 * with it); it dies or uses too much memory (a failure of that revision); it became the serving one (which then
 * answers).
 */
interface RevisionRunners {
  /** Call right before each use: an unused runner may be ended. */
  runningOn(extension: string, revision: number): Promise<Result<RunningExtension>>;
  close(): Promise<void>;
}

interface Runner {
  readonly extension: string;
  readonly served: Promise<Served | null>;
  timer: NodeJS.Timeout | null;
}

const IDLE_MS = 60_000;

export function createRevisionRunners(loader: ExtensionLoader, drainMs: number): RevisionRunners {
  const { state } = loader;
  const { options } = state;
  const runners = new Map<string, Runner>();
  const unfollow = options.registry.follow(() => {
    for (const [key, runner] of runners) {
      const slot = state.slots.get(runner.extension);
      if (slot === undefined || slot.isLeftOut || slot.disabled) void end(key, runner, drainMs);
    }
  });

  function forget(key: string, runner: Runner): void {
    if (runners.get(key) === runner) runners.delete(key);
  }

  async function end(key: string, runner: Runner, ms: number): Promise<void> {
    forget(key, runner);
    if (runner.timer !== null) clearTimeout(runner.timer);
    const served = await runner.served.catch(() => null);
    await served?.running.close(ms);
  }

  function endLater(key: string, runner: Runner, running: RunningExtension): void {
    if (runner.timer !== null) clearTimeout(runner.timer);
    if (runners.get(key) !== runner) return;
    runner.timer = setTimeout(() => {
      if (running.callsInFlight() > 0) endLater(key, runner, running);
      else void end(key, runner, drainMs);
    }, IDLE_MS).unref();
  }

  function begin(key: string, slot: Slot, revision: number): Runner {
    const onIncident = (_: Slot, __: string, incident: Incident): void => {
      if (incident.type !== 'failure') return;
      recordFailure(state, slot, incident.failure, revision, currentVersion(state)).catch((error: unknown) =>
        options.log('error', 'could not record a failure of an older revision', {
          extension: slot.id,
          revision,
          error: String(error),
        }),
      );
    };
    const runner: Runner = { extension: slot.id, served: reviveStored(state, slot, revision, { onIncident }), timer: null };
    runners.set(key, runner);
    return runner;
  }

  async function runningOn(extension: string, revision: number): Promise<Result<RunningExtension>> {
    // Checked first, because the extension may be disabled during the read.
    const isStored = (await options.store.revisions.get(extension, revision)) !== null;
    const slot = state.slots.get(extension);
    if (slot === undefined) return unknownExtension(extension);
    if (slot.isLeftOut) return refuse('state_conflict', leftOutInWords(slot, state.options.extensionsDir));
    if (slot.disabled || slot.isExcluded)
      return refuse(
        'state_conflict',
        `${extension} is ${slot.disabled ? 'disabled. Enable it' : 'excluded. Remove it from EXTENSION_EXCLUDED_EXTENSIONS'} to use its revisions.`,
      );
    if (!isStored) return refuse('revision_not_found', `${extension} has no revision ${revision}.`);
    const entry = options.registry.current().entries.get(extension);
    // Applies in a crash loop too: it is not started a second time.
    if (entry?.running != null && slot.serving?.running === entry.running && slot.serving.revision === revision) return ok(entry.running);
    const key = `${extension}@${revision}`;
    const runner = runners.get(key) ?? begin(key, slot, revision);
    const served = await runner.served.catch((error: unknown) => {
      forget(key, runner);
      throw error;
    });
    if (served === null) {
      forget(key, runner);
      return refuse(
        'revision_not_found',
        `Revision ${revision} of ${extension} cannot run: it failed to load, or it is older than the newest 20.`,
      );
    }
    // It ended while the caller waited for it.
    if (runners.get(key) !== runner) return runningOn(extension, revision);
    endLater(key, runner, served.running);
    return ok(served.running);
  }

  return {
    runningOn,
    async close() {
      unfollow();
      await Promise.all([...runners].map(([key, runner]) => end(key, runner, 0)));
    },
  };
}

const TOOLS_CHECKED = 20;
const FILE_CHARACTERS = 262_144;

/** Two revisions side by side. Recent and saved calls are validated against the second one, not run. */
export async function compareRevisions(
  id: string,
  { from, to }: RevisionPair,
  store: Store,
  runners: RevisionRunners,
): Promise<Result<RevisionComparison>> {
  const before = await store.revisions.get(id, from);
  const after = await store.revisions.get(id, to);
  if (before === null || after === null)
    return refuse(
      'revision_not_found',
      `${id} has no revision ${before === null ? from : to}. GET /api/v1/extensions/{id} lists its revisions.`,
    );
  const old = readDescription(before.description)?.tools ?? null;
  const next = readDescription(after.description)?.tools ?? null;
  const tools = old === null || next === null ? null : [...compareTools(old, next)];
  const changed = tools?.filter((tool) => tool.change === 'changed' && tool.breaking).slice(0, TOOLS_CHECKED) ?? [];
  const gone = tools?.filter((tool) => tool.change === 'removed') ?? [];
  const refusals = await findRefusals(id, to, { changed: namesOf(changed), gone: namesOf(gone) }, store, runners);
  return ok({
    extension: id,
    from,
    to,
    files: changedFiles(before, after),
    tools,
    breaking: tools?.some((tool) => tool.breaking) ?? false,
    ...refusals,
  });
}

function namesOf(tools: readonly ToolChange[]): readonly string[] {
  return tools.map(({ tool }) => tool);
}

function changedFiles(before: RevisionRow, after: RevisionRow): RevisionComparison['files'] {
  if (Object.keys(before.sources).length === 0 || Object.keys(after.sources).length === 0) return null;
  const paths = [...new Set([...Object.keys(before.sources), ...Object.keys(after.sources)])].toSorted();
  return paths
    .filter((path) => before.sources[path] !== after.sources[path])
    .map((path) => ({
      path,
      before: cut(before.sources[path]),
      after: cut(after.sources[path]),
      unread: [before, after].some(({ build, sources }) => build === null && sources[path] === undefined),
    }));
}

function cut(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.length <= FILE_CHARACTERS) return text;
  return `${text.slice(0, FILE_CHARACTERS)}\n… ${(text.length - FILE_CHARACTERS).toLocaleString('en')} more characters are not shown`;
}

/**
 * Which recent and saved calls a revision would reject. They are validated in its process, not run. What can go wrong:
 * - the revision cannot run: only its missing tools are known;
 * - stored calls lack their secrets: such recent calls are skipped, and in saved calls the values of secrets are not
 *   validated, because each run sets them again;
 * - the process could not answer for a call: it is neither rejected nor counted;
 * - a check expects invalid arguments: it is skipped.
 */
type Refusals = Pick<RevisionComparison, 'checked_calls' | 'refused' | 'checked_saved_calls' | 'refused_saved_calls'>;

const RECENT_CALLS = 20;

async function findRefusals(
  id: string,
  revision: number,
  tools: { readonly changed: readonly string[]; readonly gone: readonly string[] },
  store: Store,
  runners: RevisionRunners,
): Promise<Refusals> {
  const calls = (await Promise.all(tools.changed.map((tool) => recentCalls(store, id, tool)))).flat();
  const saved = (await Promise.all(tools.changed.map((tool) => store.savedCalls.list(tool))))
    .flat()
    .filter((one) => !expectsInvalidArguments(one));
  const gone = (await Promise.all(tools.gone.map((tool) => store.savedCalls.list(tool)))).flat().map((one) => refusedOf(one, true, []));
  if (calls.length === 0 && saved.length === 0)
    return { checked_calls: 0, refused: [], checked_saved_calls: gone.length, refused_saved_calls: gone };
  const running = await runners.runningOn(id, revision);
  if (!running.ok)
    return {
      checked_calls: calls.length === 0 ? 0 : null,
      refused: [],
      checked_saved_calls: saved.length === 0 ? gone.length : null,
      refused_saved_calls: gone,
    };
  const validatedCalls = await validateAll(running.value, calls);
  const validatedSaved = await validateAll(running.value, saved);
  const refusedSaved = validatedSaved.flatMap(({ one, issues }) => {
    const left = issues.filter((issue) => !one.left_out.some((secret) => isAtOrAbove(issue.path, secret)));
    return left.length === 0 ? [] : [refusedOf(one, false, left)];
  });
  return {
    checked_calls: validatedCalls.length,
    refused: validatedCalls.flatMap(({ one, issues }) => (issues.length === 0 ? [] : [{ call_id: one.id, tool: one.tool, issues }])),
    checked_saved_calls: gone.length + validatedSaved.length,
    refused_saved_calls: [...gone, ...refusedSaved],
  };
}

/** Complete and without redacted values, which cannot be validated. */
async function recentCalls(store: Store, extension: string, tool: string): Promise<Call[]> {
  const page = await store.calls.list({ tool, extension, status: ['succeeded'], limit: RECENT_CALLS });
  const calls = await Promise.all((page?.calls ?? []).map((listed) => store.calls.get(listed.id)));
  return calls.flatMap((call) => (call === null || call.redacted.length > 0 ? [] : [call]));
}

async function validateAll<One extends Pick<Call, 'tool' | 'arguments'>>(
  running: RunningExtension,
  all: readonly One[],
): Promise<{ one: One; issues: CallIssue[] }[]> {
  const validated = await Promise.all(
    all.map(async (one) => ({ one, issues: [...(await running.validate(one.tool, JSON.stringify(one.arguments)))] })),
  );
  return validated.filter(({ issues }) => !issues.some((issue) => issue.keyword === 'unavailable'));
}

function refusedOf({ id, name, tool, required }: SavedCall, toolGone: boolean, issues: CallIssue[]): RefusedSavedCall {
  return { saved_call_id: id, name, tool, required, tool_gone: toolGone, issues };
}

function expectsInvalidArguments({ expectation }: SavedCall): boolean {
  return expectation?.status === 'failed' && (expectation.error_kind ?? 'invalid_parameters') === 'invalid_parameters';
}

function isAtOrAbove(path: string, pointer: string): boolean {
  return pointer === path || pointer.startsWith(`${path}/`);
}
