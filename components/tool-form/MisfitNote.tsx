'use client';

import { TriangleAlert } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { inShort } from './controls.ts';
import type { FormSchema } from './field-plan.ts';
import { pointerInWords, valueAt, withoutPointer } from './pointer.ts';
import { maskSecrets } from './secrets.ts';
import type { Misfits } from './use-misfits.ts';

export interface MisfitNoteProps {
  misfits: Misfits;
  payload: unknown;
  form: FormSchema;
  onChange: (payload: unknown) => void;
}

/** What was typed before the tool changed and no longer fits: listed, not lost. */
export function MisfitNote({ misfits, payload, form, onChange }: MisfitNoteProps) {
  const { list, dismiss } = misfits;
  if (list.length === 0) return null;
  const shown = maskSecrets(payload, form);
  const pointers = [...new Set(list.map((issue) => issue.path))];
  return (
    <section aria-label="What no longer fits" className="flex flex-col gap-2 rounded bg-degraded-soft px-3 py-2 text-sm">
      <p className="flex gap-2 font-medium">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-degraded" />
        The arguments of this tool have changed since this was typed. It is all kept; this no longer fits:
      </p>
      <ul className="flex flex-col gap-1">
        {pointers.map((pointer) => (
          <li key={pointer} className="flex flex-wrap items-center gap-x-2 pl-6">
            <span className="min-w-0 flex-1">
              <code className="break-all">{pointerInWords(pointer, payload)}</code>{' '}
              <span className="foreign text-muted">
                ({inShort(valueAt(shown, pointer))}) {list.find((issue) => issue.path === pointer)?.message}
              </span>
            </span>
            <Button
              size="sm"
              variant="quiet"
              aria-label={`Remove ${pointerInWords(pointer, payload)}`}
              onClick={() => onChange(withoutPointer(payload, pointer))}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <span className="flex gap-1 pl-6">
        {pointers.length > 1 ? (
          <Button size="sm" onClick={() => onChange(pointers.reduceRight(withoutPointer, payload))}>
            Remove all
          </Button>
        ) : null}
        <Button size="sm" variant="quiet" onClick={dismiss}>
          Keep it and hide this
        </Button>
      </span>
    </section>
  );
}
