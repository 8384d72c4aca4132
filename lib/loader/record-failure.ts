import type { Failure } from '#lib/contract/failure.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import type { SetWrites } from '#lib/store/store.ts';
import { failuresOf } from '#lib/registry/snapshot.ts';
import { readBuildRecord } from './build.ts';
import { mainFile, type Slot } from './extension-slot.ts';
import { completeFailure, type PreparedFailure } from './failure-occurrence.ts';
import { type LoaderState, newestSnapshot } from './loader-state.ts';

/** Completes a failure. @param build the build record of the failed source */
export async function prepareFailure(
  { options }: LoaderState,
  slot: Slot,
  raw: RawFailure,
  build: string | null,
  sources: Readonly<Record<string, string>> = {},
): Promise<PreparedFailure> {
  const completed = completeFailure(withoutSecrets(raw, options.hideSecrets), {
    instance: options.peers.instance(),
    extension: slot.id,
    extensionsDir: options.extensionsDir,
    entryFile: slot.candidate?.entryFile ?? mainFile(slot),
    sources,
    seenAt: new Date().toISOString(),
    goodRevision: slot.serving?.revision ?? slot.owned?.revision ?? null,
    environment: slot.candidate === null ? null : await options.environmentOf(slot.candidate, readBuildRecord(build)?.uses ?? null),
  });
  return { ...completed, codeFrame: completed.codeFrame === null ? null : options.hideSecrets(completed.codeFrame) };
}

/** A failure of a recorded revision, or of none. */
export async function prepareRecorded(state: LoaderState, slot: Slot, raw: RawFailure, revision: number | null): Promise<PreparedFailure> {
  const build = revision === null ? null : ((await state.options.store.revisions.get(slot.id, revision))?.build ?? null);
  return prepareFailure(state, slot, raw, build);
}

/** Adds the occurrence to its failure record. */
export async function writeFailure(
  writes: SetWrites,
  prepared: PreparedFailure,
  revision: number | null,
  versionOf: FailureVersion,
): Promise<Failure> {
  const snapshotVersion = await versionOf(prepared.extension, revision, prepared.fingerprint);
  return writes.recordFailure({ ...prepared, revision, snapshotVersion });
}

/** After the commit: writes the log and notifies listeners. */
export function announceFailure({ options }: LoaderState, record: Failure): void {
  const { extension, revision, code } = record;
  options.log('error', `extension ${extension} failed (${code}): ${record.error.replace(/\.$/, '')}. ${record.hint}`, {
    extension,
    revision,
    code,
  });
  options.publish('failure.changed', { snapshot_version: record.snapshot_version, group_id: record.group_id, extension });
}

/** Commits a failure without other changes. */
export async function recordFailure(
  state: LoaderState,
  slot: Slot,
  raw: RawFailure,
  revision: number | null,
  versionOf: FailureVersion,
): Promise<Failure> {
  const prepared = await prepareRecorded(state, slot, raw, revision);
  const record = await state.options.store.commitSet((writes) => writeFailure(writes, prepared, revision, versionOf));
  announceFailure(state, record);
  return record;
}

/** In a failed check, only the result comes from outside, and its secrets are already redacted. */
function withoutSecrets(raw: RawFailure, hide: (text: string) => string): RawFailure {
  return {
    ...raw,
    message: hide(raw.message),
    ...(raw.hint === undefined ? {} : { hint: hide(raw.hint) }),
    ...(raw.stack === undefined ? {} : { stack: hide(raw.stack) }),
    ...(raw.output === undefined ? {} : { output: hide(raw.output) }),
  };
}

/** The version of the snapshot that contains a failure. */
export type FailureVersion = (extension: string, revision: number | null, fingerprint: string) => Promise<number>;

/** Failures in a process, which do not change the snapshot. */
export function currentVersion({ options }: LoaderState): FailureVersion {
  return async () => options.registry.current().version;
}

/**
 * A failure creates the next version, unless the newest stored version contains it already: a repeated failure changes
 * nothing, and a version that is never created must not be referenced. Called before the commit, and only when
 * something fails.
 */
export function nextVersion(state: LoaderState): FailureVersion {
  const { options } = state;
  let known: { readonly newest: number; readonly failures: ReturnType<typeof failuresOf> } | null = null;
  return async (extension, revision, fingerprint) => {
    if (known === null) {
      const stored = await newestSnapshot(state, options.store.snapshots);
      const newest = Math.max(options.registry.current().version, stored?.record.version ?? 0);
      known = { newest, failures: failuresOf(stored?.digest ?? new Map()) };
    }
    const before = known.failures.get(extension);
    // A server that follows another one creates no version.
    if (options.peers.others().length > 0) return known.newest;
    const isSame = before?.fingerprint === fingerprint && (revision === null || before.revision === revision);
    return isSame ? known.newest : known.newest + 1;
  };
}
