'use client';

import { useSelectedLayoutSegment } from 'next/navigation';
import type { ReactNode } from 'react';
import { decodedPart } from '#components/ui/decoded-part.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';

/** Reserves its space, so that nothing beside it shifts. */
const ExtensionSideList = lazyPart(
  async () => (await import('./ExtensionSideList.tsx')).ExtensionSideList,
  <div className="max-xl:hidden" />,
);

export function ExtensionsFrame({ children }: { children: ReactNode }) {
  const segment = useSelectedLayoutSegment();
  if (segment === null) return children;
  return (
    <div className="grid min-w-0 gap-6 xl:grid-cols-[17rem_minmax(0,1fr)]">
      <ExtensionSideList open={decodedPart(segment)} />
      {children}
    </div>
  );
}
