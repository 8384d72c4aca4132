import { durationInWords, relativeInWords } from '#components/ui/times.ts';
import type { WatchState } from '#lib/contract/extension.ts';

/** What writing a probe file came to: "A probe file was seen after 12.0 ms, 3 min ago". */
export function selfTestInWords({ self_test: test }: WatchState, now: number): string {
  const when = test.at === null ? '' : `, ${relativeInWords(Date.parse(test.at), now)}`;
  switch (test.result) {
    case 'seen':
      return `Tested: a probe file was seen after ${durationInWords(test.duration_ms ?? 0)}${when}.`;
    case 'not_seen':
      return `Tested: ${test.reason ?? 'a probe file was not seen'}${when}.`;
    case 'running':
      return 'Testing with a probe file…';
    case 'not_run':
      return `Not tested: ${test.reason ?? 'no probe file was written'}.`;
  }
}
