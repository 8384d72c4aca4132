'use client';

import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleX } from 'lucide-react';
import { Panel } from '#components/ui/Panel.tsx';
import { useClockText } from '#components/ui/RelativeTime.tsx';
import { queries } from '#lib/client/queries.ts';
import type { WatchState } from '#lib/contract/extension.ts';
import { WATCH_WORDS, selfTestInWords } from './watch-words.ts';

const AGAIN_MS = 1_000;

/** For the overview: how saved files are noticed, and whether a file that was written to try it was. */
export function WatchPanel() {
  const { data } = useQuery({
    ...queries.extensions(),
    // Its end has no event.
    refetchInterval: (query) => (query.state.data?.watch.self_test.result === 'running' ? AGAIN_MS : false),
  });
  return data === undefined ? null : <Watch watch={data.watch} />;
}

function Watch({ watch }: { watch: WatchState }) {
  const test = useClockText((now) => selfTestInWords(watch, now));
  const { word, means } = WATCH_WORDS[watch.mode];
  return (
    <Panel title="Saved files" note={word}>
      <div className="flex flex-col gap-1 text-sm">
        <p>
          {means}
          {watch.reason === null ? null : <span className="text-muted"> Why: {watch.reason}.</span>}
        </p>
        <p className="flex gap-1.5 text-muted">
          {watch.mode === 'blind' ? (
            <CircleX aria-hidden className="mt-0.5 size-3.5 shrink-0 text-failed" />
          ) : watch.self_test.result === 'seen' ? (
            <CircleCheck aria-hidden className="mt-0.5 size-3.5 shrink-0 text-ok" />
          ) : (
            <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-degraded" />
          )}
          <span className="min-w-0">{test}</span>
        </p>
      </div>
    </Panel>
  );
}
