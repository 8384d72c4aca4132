'use client';

import { X } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { useRouter } from 'next/navigation';
import { IconButton } from './IconButton.tsx';
import { useMatch } from './browser-value.ts';

/** Details of the selected row, beside the list: sticky, with its own scrolling. */
export function SelectedPanel({ noun, onClose, children }: { noun: string; onClose: () => void; children: ReactNode }) {
  return (
    <aside aria-label={`The selected ${noun}`} className="sticky top-18 min-w-0 rounded border bg-panel">
      <IconButton size="sm" label="Close" onClick={onClose} className="absolute top-3 right-3 z-10 bg-panel">
        <X />
      </IconButton>
      <div
        tabIndex={0}
        role="region"
        aria-label={`Details of the selected ${noun}`}
        className="focus-inset relative max-h-[calc(100dvh-6rem)] overflow-y-auto rounded p-4"
      >
        {children}
      </div>
    </aside>
  );
}

const SIDE_BY_SIDE = '(min-width: 1280px)';

/**
 * Whether details are shown beside the list. On narrow windows an address with a selection redirects to the details page:
 * `selected` comes from the address, which narrow lists never set.
 */
export function useSideBySide(selected: string | null, pageOf: (id: string) => string): boolean {
  const router = useRouter();
  const open = useEffectEvent((id: string) => {
    if (!window.matchMedia(SIDE_BY_SIDE).matches) router.replace(pageOf(id));
  });
  // Not when the window becomes narrower, which is no navigation.
  useEffect(() => {
    if (selected !== null) open(selected);
  }, [selected]);
  return useMatch(SIDE_BY_SIDE);
}
