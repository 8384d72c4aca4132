import type { WatchState } from '#lib/contract/extension.ts';

/** What each way of watching is called and means for the reader. */
export const WATCH_WORDS: Record<WatchState['mode'], { readonly word: string; readonly means: string }> = {
  native: { word: 'Watching', means: 'Saved files are live by themselves.' },
  polling: { word: 'Polling', means: 'Saved files are live by themselves within a few seconds.' },
  off: { word: 'Not watching', means: 'Saved files become live when you press Reload.' },
  blind: { word: 'Not seeing changes', means: 'Watching does not work here. Press Reload after saving.' },
};
