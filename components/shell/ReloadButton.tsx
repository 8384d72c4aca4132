'use client';

import { useMutationState } from '@tanstack/react-query';
import { RotateCw, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Popover, PopoverClose } from '#components/ui/Popover.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { useReconnected } from '#lib/client/live-context.ts';
import { useReload } from '#lib/client/reload-mutations.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import type { ReloadReport } from '#lib/contract/extension.ts';

/** Lazy: rarely used, but present on every page. */
const ReloadResult = lazyPart(async () => (await import('./ReloadResult.tsx')).ReloadResult);

export function ReloadButton() {
  return useMay('extensions.reload') ? <Reload /> : null;
}

/** Reloads all extensions. The result stays until it is closed or the next reload starts, whichever control started it. */
function Reload() {
  const reload = useReload();
  const runs = useMutationState({ filters: { mutationKey: ['reload'] } });
  const [closed, setClosed] = useState(0);
  const last = runs.at(-1);
  const pending = last?.status === 'pending';
  useReconnected(() => {
    if (last !== undefined && hasProblemCode(last.error, 'offline')) setClosed(last.submittedAt);
  });
  const report = readReport(last?.data, last?.variables);
  const failed = last?.status === 'error';
  const summary = failed ? `Not reloaded. ${messageOf(last.error)}` : report === null ? '' : reportInWords(report);

  return (
    <>
      <Popover
        label="Result of the reload"
        open={last !== undefined && !pending && (failed || report !== null) && last.submittedAt !== closed}
        onOpenChange={(open) => {
          if (!open && last !== undefined) setClosed(last.submittedAt);
        }}
        anchor={
          <Button
            variant="secondary"
            icon={<RotateCw />}
            pending={pending}
            onClick={() => reload.mutate(null)}
            className="pointer-coarse:min-w-10 max-sm:px-2"
          >
            <span className="max-sm:sr-only">
              Reload
              <span className="sr-only"> all extensions</span>
            </span>
          </Button>
        }
      >
        <div className="flex items-start gap-2 border-b py-2 pr-2 pl-3">
          <p className="tabular min-w-0 flex-1 py-1 font-medium break-words">{failed ? 'Not reloaded' : summary}</p>
          <PopoverClose
            aria-label="Close the result"
            className="inline-flex size-7 items-center justify-center rounded text-muted hover:bg-hover hover:text-fg"
          >
            <X className="size-4" />
          </PopoverClose>
        </div>
        {failed ? <p className="foreign p-3">{messageOf(last.error)}</p> : report === null ? null : <ReloadResult report={report} />}
      </Popover>
      <span role="status" className="sr-only">
        {pending ? 'Reloading' : summary}
      </span>
    </>
  );
}

/** Result of a reload, limited to the requested extensions. Null for none. */
export function readReport(data: unknown, requested: unknown): ReloadReport | null {
  if (!isReport(data)) return null;
  if (!Array.isArray(requested)) return data;
  return {
    ...data,
    changed: data.changed.filter((id) => requested.includes(id)),
    failed_extensions: data.failed_extensions.filter((failure) => requested.includes(failure.extension)),
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
