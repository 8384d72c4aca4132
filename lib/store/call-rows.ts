import { z } from 'zod';
import { callErrorSchema, callLogSchema, callProgressSchema } from '#lib/contract/call.ts';
import type { Call, CallLog } from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { cutError, cutLogs, cutText } from './cut-text.ts';
import type { SqlValue } from './sqlite-connection.ts';
import type { CallEnd, RunningCallRow } from './store.ts';
import type { CallPayloadsTable, CallsRow } from './tables.ts';

/** A list carries an error whole up to this many bytes. */
const LIST_ERROR_BYTES = 4 * LIMITS.listValueBytes;

const logsSchema = z.array(callLogSchema);
const pointersSchema = z.array(z.string());

export type Values = Readonly<Record<string, SqlValue>>;

/** What goes into `calls`, and into `call_payloads` when something had to be cut. */
export interface SplitRow {
  readonly row: Values;
  readonly payload: Values | null;
}

export function splitRunning(call: RunningCallRow): SplitRow {
  const args = cutText(call.argumentsText, LIMITS.listValueBytes);
  return {
    row: {
      id: call.id,
      tool: call.tool,
      extension: call.extension,
      revision: call.revision,
      snapshot_version: call.snapshotVersion,
      source: call.source,
      actor: call.actor,
      started_at: Date.parse(call.startedAt),
      replay_of: call.replayOf,
      redacted_json: call.redacted.length === 0 ? null : JSON.stringify(call.redacted),
      arguments_json: args.text,
      arguments_cut: args.cut ? 1 : 0,
    },
    payload: args.cut ? { id: call.id, arguments_json: call.argumentsText } : null,
  };
}

export function splitEnd(id: string, end: CallEnd): SplitRow {
  const result = end.resultText === null ? null : cutText(end.resultText, LIMITS.listValueBytes);
  const error = end.error === null ? null : cutError(end.error, LIST_ERROR_BYTES);
  const logs = cutLogs(end.logs, LIMITS.listValueBytes);
  const row = {
    id,
    revision: end.revision,
    status: end.status,
    finished_at: Date.parse(end.finishedAt),
    duration_us: Math.round(end.durationMs * 1_000),
    progress_json: end.progress === null ? null : JSON.stringify(end.progress),
    logs_truncated: end.logsTruncated ? 1 : 0,
    result_json: result === null ? null : result.text,
    result_cut: result?.cut ? 1 : 0,
    error_json: error === null ? null : JSON.stringify(error.error),
    error_cut: error?.cut ? 1 : 0,
    logs_json: logs.logs.length === 0 ? null : JSON.stringify(logs.logs),
    logs_cut: logs.cut ? 1 : 0,
  };
  const isWhole = row.result_cut === 0 && row.error_cut === 0 && row.logs_cut === 0;
  if (isWhole) return { row, payload: null };
  return {
    row,
    payload: {
      id,
      result_json: result?.cut ? end.resultText : null,
      error_json: error?.cut ? JSON.stringify(end.error) : null,
      logs_json: logs.cut ? JSON.stringify(end.logs) : null,
    },
  };
}

/** One of a list: what was cut stays cut, and says so. */
export function listedCall(row: CallsRow): Call {
  const isTruncated = row.arguments_cut === 1 || row.result_cut === 1 || row.error_cut === 1;
  const call: Call = {
    id: row.id,
    tool: row.tool,
    extension: row.extension,
    revision: row.revision,
    snapshot_version: row.snapshot_version,
    source: row.source,
    actor: row.actor,
    arguments: row.arguments_cut === 1 ? row.arguments_json : parseExactJson(row.arguments_json),
    redacted: row.redacted_json === null ? [] : pointersSchema.parse(JSON.parse(row.redacted_json)),
    status: row.status,
    result: row.result_json === null ? null : row.result_cut === 1 ? row.result_json : readResult(row.result_json),
    error: row.error_json === null ? null : callErrorSchema.parse(parseExactJson(row.error_json)),
    logs: parseLogs(row.logs_json),
    logs_truncated: row.logs_truncated === 1 || row.logs_cut === 1,
    progress: row.progress_json === null ? null : callProgressSchema.parse(JSON.parse(row.progress_json)),
    started_at: isoTime(row.started_at),
    finished_at: row.finished_at === null ? null : isoTime(row.finished_at),
    duration_ms: row.duration_us === null ? null : row.duration_us / 1_000,
    replay_of: row.replay_of,
  };
  return isTruncated ? { ...call, truncated: true } : call;
}

/** The call as it was, the cut values replaced by the whole ones. */
export function wholeCall(row: CallsRow, payload: Omit<CallPayloadsTable, 'call_id'> | undefined): Call {
  const { truncated: _, ...call } = listedCall({
    ...row,
    arguments_json: payload?.arguments_json ?? row.arguments_json,
    arguments_cut: 0,
    result_json: payload?.result_json ?? row.result_json,
    result_cut: 0,
    error_json: payload?.error_json ?? row.error_json,
    error_cut: 0,
    logs_json: payload?.logs_json ?? row.logs_json,
    logs_cut: 0,
  });
  return call;
}

/** What a process sent as its result was not read when it was stored; where it is no JSON, it is shown as it came. */
function readResult(json: string): unknown {
  try {
    return parseExactJson(json);
  } catch {
    return json;
  }
}

function parseLogs(json: string | null): CallLog[] {
  return json === null ? [] : logsSchema.parse(parseExactJson(json));
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
