import type { CallEnd, RunningCallRow } from '#lib/store/store.ts';

/**
 * The JSON text of a Call, put together from texts that exist already: neither arguments nor result are parsed or built again.
 * The order and names of the members are those of `callSchema`; a test parses what is written here with it.
 */
export function callJson(row: RunningCallRow, end: CallEnd | null): string {
  const head = `{"id":"${row.id}","tool":${JSON.stringify(row.tool)},"extension":${JSON.stringify(row.extension)},"revision":${end === null ? row.revision : end.revision},"snapshot_version":${row.snapshotVersion},"source":"${row.source}","actor":${JSON.stringify(row.actor)},"arguments":${row.argumentsText},"redacted":${JSON.stringify(row.redacted)}`;
  const replay = `"replay_of":${JSON.stringify(row.replayOf)}}`;
  if (end === null) {
    return `${head},"status":"running","result":null,"error":null,"logs":[],"logs_truncated":false,"progress":null,"started_at":"${row.startedAt}","finished_at":null,"duration_ms":null,${replay}`;
  }
  return `${head},"status":"${end.status}","result":${end.resultText ?? 'null'},"error":${JSON.stringify(end.error)},"logs":${JSON.stringify(end.logs)},"logs_truncated":${end.logsTruncated},"progress":${JSON.stringify(end.progress)},"started_at":"${row.startedAt}","finished_at":"${end.finishedAt}","duration_ms":${end.durationMs},${replay}`;
}
