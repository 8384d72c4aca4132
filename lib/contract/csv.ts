import type { Call } from './call.ts';
import type { AuditEntry } from './audit.ts';

/**
 * Spreadsheets evaluate text with these prefixes as formulas, also after spaces and ignored characters, and with full-width
 * signs. Text after a leading tab or line break becomes a formula on import.
 */
const FORMULA = /^[\s\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/** One RFC 4180 record without formulas; other values are JSON, null is an empty cell. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: unknown): string {
  if (cell === undefined || cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'bigint') return String(cell);
  const plain = typeof cell === 'string' ? cell : JSON.stringify(cell);
  const text = FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

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

export const AUDIT_COLUMNS = [
  'id',
  'at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'action',
  'target',
  'outcome',
  'address',
  'detail',
] as const;

export function auditRow(entry: AuditEntry): (string | null)[] {
  const columns: Record<(typeof AUDIT_COLUMNS)[number], string | null> = {
    ...entry,
    actor_kind: entry.actor.kind,
    actor_id: entry.actor.id,
    actor_name: entry.actor.name,
    detail: JSON.stringify(entry.detail),
  };
  return AUDIT_COLUMNS.map((name) => columns[name]);
}
