import { Skeleton } from '#components/ui/QueryState.tsx';
import { lazyInBrowser } from '#components/ui/lazy-part.tsx';

export const LazyResultView = lazyInBrowser(() => import('./ResultView.tsx').then((module) => module.ResultView), <Skeleton lines={4} />);

export const LazyAgentView = lazyInBrowser(() => import('./AgentView.tsx').then((module) => module.AgentView), <Skeleton lines={6} />);

export const LazyDefinitionView = lazyInBrowser(
  () => import('./AgentView.tsx').then((module) => module.DefinitionView),
  <Skeleton lines={6} />,
);
