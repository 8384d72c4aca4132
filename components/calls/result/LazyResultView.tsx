'use client';

import dynamic from 'next/dynamic';
import { Skeleton } from '#components/ui/Skeleton.tsx';

/** Trees, tables, pictures and Markdown come when there is a result to be seen. */
export const LazyResultView = dynamic(() => import('./ResultView.tsx').then((module) => module.ResultView), {
  ssr: false,
  loading: () => <Skeleton lines={4} label="Preparing the result…" />,
});

export const LazyAgentView = dynamic(() => import('./AgentView.tsx').then((module) => module.AgentView), {
  ssr: false,
  loading: () => <Skeleton lines={6} label="Reading the tool…" />,
});

export const LazyDefinitionView = dynamic(() => import('./DefinitionView.tsx').then((module) => module.DefinitionView), {
  ssr: false,
  loading: () => <Skeleton lines={6} label="Preparing the definition…" />,
});
