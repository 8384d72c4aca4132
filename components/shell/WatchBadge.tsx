'use client';

import { useQuery } from '@tanstack/react-query';
import { Eye, EyeOff, Repeat } from 'lucide-react';
import { Badge } from '#components/ui/Badge.tsx';
import { Popover } from '#components/ui/Popover.tsx';
import { StaleBanner } from '#components/ui/StaleBanner.tsx';
import { queries } from '#lib/client/queries.ts';
import type { WatchState } from '#lib/contract/extension.ts';

export function WatchBadge() {
  const { data } = useQuery(queries.extensions());
  if (data === undefined) return null;
  const { mode } = data.watch;
  const words = WATCH_WORDS[mode];
  const icon = mode === 'native' ? <Eye /> : mode === 'polling' ? <Repeat /> : <EyeOff />;
  return (
    <Popover
      label="File watching"
      trigger={
        <button type="button" className="inline-flex rounded-sm hover:brightness-95">
          <Badge tone={mode === 'blind' ? 'failed' : mode === 'off' ? 'off' : undefined} icon={icon}>
            {words.word}
          </Badge>
        </button>
      }
    >
      <p className="p-3">{watchInWords(data.watch)}</p>
    </Popover>
  );
}

export function WatchBanner() {
  const { data } = useQuery(queries.extensions());
  if (data?.watch.mode !== 'blind') return null;
  return <StaleBanner icon={<EyeOff className="size-4 shrink-0" />}>{watchInWords(data.watch)}</StaleBanner>;
}

export function watchInWords({ mode, reason }: WatchState): string {
  return reason === null ? WATCH_WORDS[mode].means : `${WATCH_WORDS[mode].means} Why: ${reason}.`;
}

export const WATCH_WORDS: Record<WatchState['mode'], { readonly word: string; readonly means: string }> = {
  native: { word: 'Watching', means: 'Saved files are served automatically.' },
  polling: { word: 'Polling', means: 'Saved files are served automatically within a few seconds.' },
  off: { word: 'Not watching', means: 'Press Reload to serve saved files.' },
  blind: { word: 'Not seeing changes', means: 'Watching does not work here. Press Reload after saving.' },
};
