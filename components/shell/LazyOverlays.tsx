'use client';

import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { RADIX } from '#components/ui/lazy-part.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';
import type { Overlay } from './shell-state.ts';
import { useOverlay } from './shell-state.ts';

const loadPalette = () => import('./CommandPalette.tsx').then((module) => ({ default: module.CommandPalette }));
const loadConnectAgent = () => import('./ConnectAgent.tsx').then((module) => ({ default: module.ConnectAgentDialog }));
const loadKeys = () => import('./KeysDialog.tsx').then((module) => ({ default: module.KeysDialog }));
const loadStatus = () => import('./StatusSheet.tsx').then((module) => ({ default: module.StatusSheet }));
const CommandPalette = lazy(loadPalette);
const ConnectAgentDialog = lazy(loadConnectAgent);
const KeysDialog = lazy(loadKeys);
const StatusSheet = lazy(loadStatus);
const WARM_UP_MS = 3_000;

/** Large overlays, loaded at first use and then kept. */
export function LazyOverlays() {
  useEffect(warmUp, []);
  return (
    <>
      <Once overlay="palette">
        <CommandPalette />
      </Once>
      <Once overlay="connect">
        <ConnectAgentDialog />
      </Once>
      <Once overlay="keys">
        <KeysDialog />
      </Once>
      <Once overlay="status">
        <StatusSheet />
      </Once>
    </>
  );
}

function Once({ overlay, children }: { overlay: Overlay; children: ReactNode }) {
  const { open } = useOverlay(overlay);
  const [used, setUsed] = useState(false);
  if (open && !used) setUsed(true);
  return used ? <Suspense fallback={null}>{children}</Suspense> : null;
}

/** Prefetched when the page is idle, so that they open without a server connection. */
function warmUp(): () => void {
  // Ctrl or ⌘ is pressed before K.
  const preload = (event: KeyboardEvent) => {
    if (pressedKey(event) === 'Control' || pressedKey(event) === 'Meta') loadPalette().catch(() => undefined);
  };
  document.addEventListener('keydown', preload);
  const timer = setTimeout(() => {
    Promise.all([
      loadPalette(),
      loadConnectAgent(),
      loadKeys(),
      loadStatus(),
      import('./NameForm.tsx'),
      import('./ReloadResult.tsx'),
      ...Object.values(RADIX).map((load) => load()),
    ]).catch(() => undefined);
  }, WARM_UP_MS);
  return () => {
    document.removeEventListener('keydown', preload);
    clearTimeout(timer);
  };
}
