'use client';

import dynamic from 'next/dynamic';
import { useSelectedLayoutSegment } from 'next/navigation';
import type { ReactNode } from 'react';

/** Its place is there from the first, so that nothing beside it moves. */
const ExtensionSideList = dynamic(async () => (await import('./ExtensionSideList.tsx')).ExtensionSideList, {
  loading: () => <div className="max-xl:hidden" />,
});

/** On a wide window: every extension at the left of the one that is open. Otherwise only the page. */
export function ExtensionsFrame({ children }: { children: ReactNode }) {
  const segment = useSelectedLayoutSegment();
  if (segment === null) return children;
  return (
    <div className="grid min-w-0 gap-6 xl:grid-cols-[17rem_minmax(0,1fr)]">
      <ExtensionSideList open={decode(segment)} />
      {children}
    </div>
  );
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
