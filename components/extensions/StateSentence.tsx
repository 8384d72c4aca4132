'use client';

import { cx } from '#components/ui/cx.ts';
import { TimeText, useClockText } from '#components/ui/RelativeTime.tsx';
import type { Extension } from '#lib/contract/extension.ts';
import { momentOfState, stateInWords } from './extension-words.ts';

/** "serving 3 · 4 failed 2 min ago", kept up to date. Stands beside a state badge. */
export function StateSentence({ extension, className }: { extension: Extension; className?: string }) {
  const words = useClockText((now) => stateInWords(extension, now));
  const moment = momentOfState(extension);
  const look = cx('tabular text-muted', className);
  return moment === null ? (
    <span className={look}>{words}</span>
  ) : (
    <TimeText time={moment} className={look}>
      {words}
    </TimeText>
  );
}
