'use client';

import { Panel } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';

/** Stands in for the panel while it is loaded, as high as that, so that nothing below it jumps. */
export function ProbeRoom() {
  if (!useMay('tools.probe')) return null;
  return (
    <Panel title="Probe" flush>
      <Skeleton lines={2} label="Preparing the probe…" />
    </Panel>
  );
}
