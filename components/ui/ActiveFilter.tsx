'use client';

import { X } from 'lucide-react';

/** An active filter with a remove button. */
export function ActiveFilter({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  return (
    <span
      data-active-filter
      className="inline-flex h-8 max-w-full items-center gap-1 rounded border border-accent bg-accent-soft pl-2.5 text-sm"
    >
      <span className="text-muted">{name}</span>
      <span className="truncate font-medium">{value}</span>
      <button
        type="button"
        aria-label={`Remove the filter ${name} ${value}`}
        onClick={onRemove}
        className="inline-flex size-6 items-center justify-center rounded-sm hover:bg-hover"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </span>
  );
}
