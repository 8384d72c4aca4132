import path from 'node:path';
import type { Failure } from '#lib/contract/failure.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import { readBuildRecord } from './build-record.ts';
import type { Slot } from './extension-slot.ts';
import { completeFailure } from './failure-occurrence.ts';
import type { LoaderState } from './loader-state.ts';

/** Completes a failure, counts it into its record, and tells the log and the listeners. */
export async function recordFailure(
  state: LoaderState,
  slot: Slot,
  raw: RawFailure,
  revision: number | null,
  version: number,
  sources: Readonly<Record<string, string>> = {},
): Promise<Failure> {
  const { options } = state;
  const build = revision === null ? null : readBuildRecord(options.store.revisions.get(slot.id, revision)?.build ?? null);
  const occurrence = completeFailure(raw, {
    extension: slot.id,
    revision,
    extensionsDir: options.extensionsDir,
    entryFile: slot.candidate?.entryFile ?? path.join(options.extensionsDir, slot.path),
    sources,
    snapshotVersion: version,
    seenAt: new Date().toISOString(),
    goodRevision: slot.serving?.revision ?? slot.owned?.revision ?? null,
    environment: slot.candidate === null ? null : await options.environmentOf(slot.candidate, build?.uses ?? null),
  });
  const record = await options.store.failures.record(occurrence);
  options.log('error', `extension ${slot.id} failed (${record.code}): ${record.error.replace(/\.$/, '')}. ${record.hint}`, {
    extension: slot.id,
    revision,
    code: record.code,
  });
  options.publish('failure.changed', { snapshot_version: version, group_id: record.group_id, extension: slot.id });
  return record;
}
