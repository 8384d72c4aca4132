'use client';

import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleX, Radar } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { useClockText } from '#components/ui/RelativeTime.tsx';
import { durationInWords, relativeInWords } from '#components/ui/times.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { useTestWatching } from '#lib/client/reload-mutations.ts';
import { queries } from '#lib/client/queries.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { WatchState } from '#lib/contract/extension.ts';
import { WATCH_WORDS } from './WatchBadge.tsx';

const POLL_MS = 1_000;
const TEST_WORDS: Record<WatchState['self_test']['result'], string> = {
  seen: 'Test passed: saved files are detected.',
  not_seen: 'Test failed: saved files are not detected.',
  running: 'Testing…',
  not_run: 'The test could not run.',
};

export function WatchPanel() {
  const { data } = useQuery({
    ...queries.extensions(),
    // The end of the test emits no event.
    refetchInterval: (query) => (query.state.data?.watch.self_test.result === 'running' ? POLL_MS : false),
  });
  return data === undefined ? null : <Watch watch={data.watch} />;
}

function Watch({ watch }: { watch: WatchState }) {
  const again = useTestWatching();
  const mayTest = useMay('extensions.reload') && watch.mode !== 'off';
  const test = useClockText((now) => selfTestInWords(watch, now));
  const { word, means } = WATCH_WORDS[watch.mode];
  return (
    <Panel
      title="File watching"
      note={word}
      actions={
        mayTest ? (
          <Button size="sm" icon={<Radar />} pending={again.isPending} onClick={() => again.mutate()}>
            {again.isPending ? 'Testing…' : 'Test again'}
          </Button>
        ) : undefined
      }
    >
      <div className="flex flex-col gap-1 text-sm">
        <p>
          {means}
          {watch.reason === null ? null : <span className="text-muted"> Why: {watch.reason}.</span>}
        </p>
        <p className="flex gap-2 text-muted">
          {watch.mode === 'blind' ? (
            <CircleX className="h-lh w-3.5 shrink-0 text-failed" />
          ) : watch.self_test.result === 'seen' ? (
            <CircleCheck className="h-lh w-3.5 shrink-0 text-ok" />
          ) : (
            <CircleAlert className="h-lh w-3.5 shrink-0 text-degraded" />
          )}
          <span className="min-w-0">{test}</span>
        </p>
        {again.isError ? <ProblemLine>The test could not run. {messageOf(again.error)}</ProblemLine> : null}
        <p role="status" className="sr-only">
          {again.data === undefined || again.isPending ? null : TEST_WORDS[again.data.self_test.result]}
        </p>
      </div>
    </Panel>
  );
}

/** Result of the self-test: "A probe file was seen after 12.0 ms, 3 min ago". */
export function selfTestInWords({ self_test: test }: WatchState, now: number): string {
  const when = test.at === null ? '' : `, ${relativeInWords(Date.parse(test.at), now)}`;
  switch (test.result) {
    case 'seen':
      return `A probe file was seen after ${durationInWords(test.duration_ms ?? 0)}${when}.`;
    case 'not_seen':
      return `Test failed: ${test.reason ?? 'a probe file was not seen'}${when}.`;
    case 'running':
      return 'Testing with a probe file…';
    case 'not_run':
      return `Not tested: ${test.reason ?? 'no probe file was written'}.`;
  }
}
