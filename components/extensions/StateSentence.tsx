'use client';

import { cx } from '#components/ui/cx.ts';
import { useClockText } from '#components/ui/RelativeTime.tsx';
import type { Extension } from '#lib/contract/extension.ts';
import { stateInWords } from './extension-words.ts';

/** "serving 3 · 4 failed 2 min ago", kept up to date. Stands beside a state badge. */
export function StateSentence({ extension, className }: { extension: Extension; className?: string }) {
  const words = useClockText((now) => stateInWords(extension, now));
  return <span className={cx('tabular text-muted', className)}>{words}</span>;
}
