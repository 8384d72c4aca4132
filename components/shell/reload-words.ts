import type { ReloadReport } from '#lib/contract/extension.ts';

/** Result of a reload, limited to the requested extensions. Null for none. */
export function readReport(data: unknown, asked: unknown): ReloadReport | null {
  if (!isReport(data)) return null;
  if (!Array.isArray(asked)) return data;
  return {
    ...data,
    changed: data.changed.filter((id) => asked.includes(id)),
    failed_extensions: data.failed_extensions.filter((failure) => asked.includes(failure.extension)),
  };
}

/** The API client has already validated it. */
function isReport(data: unknown): data is ReloadReport {
  return typeof data === 'object' && data !== null && 'failed_extensions' in data && 'changed' in data;
}

/** "v43: 1 changed, 1 failed", "v42: nothing changed". */
export function reportInWords(report: ReloadReport): string {
  const failed = new Set(report.failed_extensions.map((failure) => failure.extension));
  const changed = report.changed.filter((id) => !failed.has(id)).length;
  const parts = [changed === 0 ? null : `${changed} changed`, failed.size === 0 ? null : `${failed.size} failed`].filter(
    (part) => part !== null,
  );
  return `v${report.version}: ${parts.length === 0 ? 'nothing changed' : parts.join(', ')}`;
}
