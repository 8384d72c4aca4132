import type { ReloadReport } from '#lib/contract/extension.ts';

/** "v43: 1 changed, 1 failed", "v42: nothing changed". */
export function reportInWords(report: ReloadReport): string {
  const failed = new Set(report.failed_extensions.map((failure) => failure.extension));
  const changed = report.changed.filter((id) => !failed.has(id)).length;
  const parts = [changed === 0 ? null : `${changed} changed`, failed.size === 0 ? null : `${failed.size} failed`].filter(
    (part) => part !== null,
  );
  return `v${report.version}: ${parts.length === 0 ? 'nothing changed' : parts.join(', ')}`;
}
