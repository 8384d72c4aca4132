import type { CallProgress as Progress } from '#lib/contract/call.ts';

/** How far a running call says it is. Without a total only what it has done is known. */
export function CallProgress({ progress }: { progress: Progress }) {
  const { done, total, message } = progress;
  const share = total === null || total <= 0 ? null : Math.min(1, Math.max(0, done / total));
  const words = total === null ? `${done} done` : `${done} of ${total}`;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-baseline justify-between gap-3 text-sm">
        <span className="foreign line-clamp-2 min-w-0">{message ?? 'Under way'}</span>
        <span className="tabular shrink-0 text-muted">{share === null ? words : `${words} · ${Math.round(share * 100)}%`}</span>
      </div>
      <div
        role="progressbar"
        aria-label={message ?? 'Progress of the call'}
        aria-valuetext={words}
        {...(share === null ? {} : { 'aria-valuenow': Math.round(share * 100), 'aria-valuemin': 0, 'aria-valuemax': 100 })}
        className="h-1.5 overflow-hidden rounded-full bg-hover"
      >
        <svg aria-hidden viewBox="0 0 100 4" preserveAspectRatio="none" className="block size-full">
          <rect
            x="0"
            y="0"
            width={share === null ? 100 : share * 100}
            height="4"
            className={share === null ? 'fill-current text-running opacity-40' : 'fill-current text-running'}
          />
        </svg>
      </div>
    </div>
  );
}
