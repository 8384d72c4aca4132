'use client';

import { lazy, Suspense, useEffect, useState } from 'react';
import { useOverlay } from './use-overlay.ts';

const load = () => import('./CommandPalette.tsx').then((module) => ({ default: module.CommandPalette }));
const CommandPalette = lazy(load);
const WARM_UP_MS = 3_000;

/** The palette, loaded when it is opened for the first time; after that it stays. */
export function LazyPalette() {
  useEffect(warmUp, []);
  const [open] = useOverlay('palette');
  const [used, setUsed] = useState(false);
  if (open && !used) setUsed(true);
  return used ? (
    <Suspense fallback={null}>
      <CommandPalette />
    </Suspense>
  ) : null;
}

/** What opens over a page is fetched once the page has been quiet for a while: it must open, too, when the server is gone. */
function warmUp(): () => void {
  // Ctrl or ⌘ comes before K.
  const ahead = (event: KeyboardEvent) => {
    if (event.key === 'Control' || event.key === 'Meta') load().catch(() => undefined);
  };
  document.addEventListener('keydown', ahead);
  const timer = setTimeout(() => {
    Promise.all([
      load(),
      import('#components/ui/DialogFrame.tsx'),
      import('#components/ui/PopoverContent.tsx'),
      import('#components/ui/MenuContent.tsx'),
    ]).catch(() => undefined);
  }, WARM_UP_MS);
  return () => {
    document.removeEventListener('keydown', ahead);
    clearTimeout(timer);
  };
}
