'use client';

import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './IconButton.tsx';

/** Details of the selected row, beside the list: sticky, with its own scrolling. */
export function SelectedPanel({ noun, onClose, children }: { noun: string; onClose: () => void; children: ReactNode }) {
  return (
    <aside aria-label={`The selected ${noun}`} className="sticky top-18 min-w-0 rounded border bg-panel">
      <IconButton size="sm" label="Close" onClick={onClose} className="absolute top-3 right-3 z-10 bg-panel">
        <X aria-hidden />
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
