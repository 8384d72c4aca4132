import type { AuditEntry } from './audit.ts';

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
