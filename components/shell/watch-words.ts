import type { WatchState } from '#lib/contract/extension.ts';

export const WATCH_WORDS: Record<WatchState['mode'], { readonly word: string; readonly means: string }> = {
  native: { word: 'Watching', means: 'Saved files are served automatically.' },
  polling: { word: 'Polling', means: 'Saved files are served automatically within a few seconds.' },
  off: { word: 'Not watching', means: 'Press Reload to serve saved files.' },
  blind: { word: 'Not seeing changes', means: 'Watching does not work here. Press Reload after saving.' },
};
