import path from 'node:path';
import type { Failure } from '#lib/contract/failure.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import { readBuildRecord } from './build-record.ts';
import type { Slot } from './extension-slot.ts';
import { completeFailure } from './failure-occurrence.ts';
import type { FailureVersion } from './failure-version.ts';
import type { LoaderState } from './loader-state.ts';

/** Completes a failure, counts it into its record, and tells the log and the listeners. */
export async function recordFailure(
  state: LoaderState,
  slot: Slot,
  raw: RawFailure,
  revision: number | null,
  versionOf: FailureVersion,
  sources: Readonly<Record<string, string>> = {},
): Promise<Failure> {
  const { options } = state;
  const build = revision === null ? null : readBuildRecord(options.store.revisions.get(slot.id, revision)?.build ?? null);
  const completed = completeFailure(withoutSecrets(raw, options.hideSecrets), {
    extension: slot.id,
    revision,
    extensionsDir: options.extensionsDir,
    entryFile: slot.candidate?.entryFile ?? path.join(options.extensionsDir, slot.path),
    sources,
    seenAt: new Date().toISOString(),
    goodRevision: slot.serving?.revision ?? slot.owned?.revision ?? null,
    environment: slot.candidate === null ? null : await options.environmentOf(slot.candidate, build?.uses ?? null),
  });
  const codeFrame = completed.codeFrame === null ? null : options.hideSecrets(completed.codeFrame);
  const version = versionOf(slot.id, revision, completed.fingerprint);
  const record = await options.store.failures.record({ ...completed, codeFrame, snapshotVersion: version });
  options.log('error', `extension ${slot.id} failed (${record.code}): ${record.error.replace(/\.$/, '')}. ${record.hint}`, {
    extension: slot.id,
    revision,
    code: record.code,
  });
  options.publish('failure.changed', { snapshot_version: version, group_id: record.group_id, extension: slot.id });
  return record;
}

/** Of a check only what came of it is said by others, and that comes without secrets. */
function withoutSecrets(raw: RawFailure, hide: (text: string) => string): RawFailure {
  return {
    ...raw,
    message: hide(raw.message),
    ...(raw.hint === undefined ? {} : { hint: hide(raw.hint) }),
    ...(raw.stack === undefined ? {} : { stack: hide(raw.stack) }),
    ...(raw.output === undefined ? {} : { output: hide(raw.output) }),
  };
}
