'use client';

import { Skeleton } from '#components/ui/Skeleton.tsx';
import { lazyInBrowser } from '#components/ui/lazy-part.tsx';

/** Trees, tables, pictures and Markdown come when there is a result to be seen. */
export const LazyResultView = lazyInBrowser(
  () => import('./ResultView.tsx').then((module) => module.ResultView),
  <Skeleton lines={4} label="Preparing the result…" />,
);

export const LazyAgentView = lazyInBrowser(
  () => import('./AgentView.tsx').then((module) => module.AgentView),
  <Skeleton lines={6} label="Reading the tool…" />,
);

export const LazyDefinitionView = lazyInBrowser(
  () => import('./DefinitionView.tsx').then((module) => module.DefinitionView),
  <Skeleton lines={6} label="Preparing the definition…" />,
);
