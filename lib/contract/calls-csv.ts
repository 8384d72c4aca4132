import type { Call } from './call.ts';

export const CALL_COLUMNS = [
  'id',
  'started_at',
  'finished_at',
  'duration_ms',
  'tool',
  'extension',
  'revision',
  'snapshot_version',
  'source',
  'actor',
  'status',
  'error_kind',
  'error_message',
  'arguments',
  'result',
  'replay_of',
  'instance',
] as const;

type Cell = string | number | null;

export function callRow(call: Call): Cell[] {
  const columns: Record<(typeof CALL_COLUMNS)[number], Cell> = {
    ...call,
    error_kind: call.error?.kind ?? null,
    error_message: call.error?.message ?? null,
    arguments: JSON.stringify(call.arguments),
    result: call.status === 'succeeded' ? JSON.stringify(call.result) : null,
  };
  return CALL_COLUMNS.map((name) => columns[name]);
}
