import type { Audit } from '#lib/accounts/audit.ts';
import { AUDIT_COLUMNS, auditRow } from '#lib/contract/audit-csv.ts';
import type { AuditExportQuery, AuditSelection } from '#lib/contract/audit.ts';
import { csvLine } from '#lib/contract/csv.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Logger } from '#lib/host/logger.ts';
import { linesResponse } from './export-lines.ts';

/** The audit, or what a filter leaves of it, as a file; newest first, as it is listed. */
export function exportAudit(audit: Audit, { format, ...selection }: AuditExportQuery, logger: Logger): Response {
  return linesResponse({ name: 'audit', format, lines: readLines(audit, selection, format), logger });
}

async function* readLines(audit: Audit, selection: AuditSelection, format: 'ndjson' | 'csv'): AsyncGenerator<string, undefined> {
  if (format === 'csv') yield csvLine(AUDIT_COLUMNS);
  let cursor: string | null = null;
  do {
    const page = audit.list({ ...selection, limit: LIMITS.listMost, ...(cursor === null ? {} : { cursor }) });
    if (!page.ok) throw new Error(page.problem.detail);
    const { entries } = page.value;
    if (entries.length > 0)
      yield entries.map((entry) => (format === 'csv' ? csvLine(auditRow(entry)) : `${JSON.stringify(entry)}\n`)).join('');
    cursor = page.value.next_cursor;
    await new Promise<void>((resolve) => setImmediate(resolve));
  } while (cursor !== null);
  return undefined;
}
