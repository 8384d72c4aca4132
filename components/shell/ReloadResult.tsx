import Link from 'next/link';
import { CodeText } from '#components/ui/CodeText.tsx';
import { Duration } from '#components/ui/RelativeTime.tsx';
import { StateIcon } from '#components/ui/Badge.tsx';
import type { ReloadReport } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';

export function ReloadResult({ report }: { report: ReloadReport }) {
  const failed = new Set(report.failed_extensions.map((failure) => failure.extension));
  const changed = report.changed.filter((id) => !failed.has(id));
  return (
    <div className="flex flex-col gap-3 p-3 text-sm">
      {report.failed_extensions.length === 0 ? null : (
        <ul className="flex flex-col gap-2">
          {report.failed_extensions.map((failure) => (
            <li key={failure.id} className="flex gap-2">
              <StateIcon state="failed" className="h-lh w-4" />
              <span className="min-w-0">
                <Link href={PAGES.extension(failure.extension)} className="rounded-sm font-medium break-words hover:underline">
                  {failure.extension}
                </Link>
                <span className="foreign line-clamp-3 text-muted">
                  <CodeText text={failure.error} />
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {changed.length === 0 ? null : (
        <ul className="flex flex-col gap-1">
          {changed.map((id) => (
            <li key={id} className="flex gap-2">
              <StateIcon state="loaded" className="h-lh w-4" />
              <Link href={PAGES.extension(id)} className="min-w-0 rounded-sm break-words hover:underline">
                {id}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <p className="text-xs text-muted">
        {report.loaded_extensions.length} {report.loaded_extensions.length === 1 ? 'extension' : 'extensions'} loaded, {report.tools.length}{' '}
        {report.tools.length === 1 ? 'tool' : 'tools'}, took <Duration ms={report.duration_ms} />.
      </p>
    </div>
  );
}
