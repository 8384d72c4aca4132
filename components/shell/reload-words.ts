import { reloadReportSchema, reloadRequestSchema } from '#lib/contract/extension.ts';
import type { ReloadReport } from '#lib/contract/extension.ts';

/** The report of a reload; of one that was asked for by name, only what it says about those. Null when there is none. */
export function readReport(data: unknown, asked: unknown): ReloadReport | null {
  const report = reloadReportSchema.safeParse(data);
  if (!report.success) return null;
  const only = reloadRequestSchema.safeParse({ extensions: asked }).data?.extensions;
  if (only === undefined) return report.data;
  return {
    ...report.data,
    changed: report.data.changed.filter((id) => only.includes(id)),
    failed_extensions: report.data.failed_extensions.filter((failure) => only.includes(failure.extension)),
  };
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
