'use client';

import { TriangleAlert } from 'lucide-react';
import { useCallback, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { drafts } from './drafts.ts';
import type { FormSchema } from './field-plan.ts';
import { inShort } from './form-view.tsx';
import { type Issue, pointerInWords, stillTrue, valueAt, withoutPointer } from './issues.ts';
import type { Payload } from './payload.ts';
import { maskSecrets } from './secrets.ts';
import { createPayloadCheck } from './use-check.ts';

interface InvalidDraft {
  /** Validation errors in input that was typed for an older schema. */
  readonly list: readonly Issue[];
  readonly dismiss: () => void;
}

interface Found {
  readonly issues: readonly Issue[];
  readonly of: unknown;
}

const NOTHING: Found = { issues: [], of: undefined };

/** Validates restored input if the schema changed since it was typed. */
export function useInvalidDraft(
  tool: string,
  parameters: Readonly<Record<string, unknown>>,
  payload: Payload,
  isUntouched: boolean,
): InvalidDraft {
  const [found, setFound] = useState<Found>(NOTHING);
  const schema = JSON.stringify(parameters);

  const payloadNow = useEffectEvent(() => (isUntouched ? null : payload));

  const settle = useCallback(() => {
    drafts.write(tool, 'schema', schema);
    setFound(NOTHING);
  }, [tool, schema]);

  useEffect(() => {
    const typed = payloadNow();
    const before = drafts.read(tool, 'schema');
    if (before === null || before === schema || typed === null) {
      drafts.write(tool, 'schema', schema);
      return undefined;
    }
    const check = createPayloadCheck(parameters);
    let wanted = true;
    check.check(typed).then(
      (issues) => {
        if (!wanted) return;
        // Missing values are visible in the form.
        const about = (issues ?? []).filter((issue) => issue.path !== '' && valueAt(typed, issue.path) !== undefined);
        if (about.length === 0) drafts.write(tool, 'schema', schema);
        else setFound({ issues: about, of: typed });
      },
      () => undefined,
    );
    return () => {
      wanted = false;
      check.close();
    };
  }, [tool, schema, parameters]);

  return { list: stillTrue(found.issues, found.of, payload), dismiss: settle };
}

interface InvalidDraftNoteProps {
  invalidDraft: InvalidDraft;
  payload: unknown;
  form: FormSchema;
  onChange: (payload: unknown) => void;
}

export function InvalidDraftNote({ invalidDraft, payload, form, onChange }: InvalidDraftNoteProps) {
  const { list, dismiss } = invalidDraft;
  if (list.length === 0) return null;
  const shown = maskSecrets(payload, form);
  const pointers = [...new Set(list.map((issue) => issue.path))];
  return (
    <section aria-label="Invalid values" className="flex flex-col gap-2 rounded bg-degraded-soft px-3 py-2 text-sm">
      <p className="flex gap-2 font-medium">
        <TriangleAlert className="mt-0.5 size-4 shrink-0 text-degraded" />
        The arguments of this tool changed. Your input is kept; these values are invalid:
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
          Dismiss
        </Button>
      </span>
    </section>
  );
}

export function DraftNote({ tool }: { tool: string }) {
  const isKept = useSyncExternalStore(
    drafts.subscribe,
    () => drafts.isKept(tool),
    () => true,
  );
  return (
    <div role="status" className="contents">
      {isKept ? null : (
        <p className="flex gap-2 rounded bg-degraded-soft px-3 py-2 text-sm">
          <TriangleAlert className="mt-0.5 size-4 shrink-0 text-degraded" />
          <span>Browser storage is full: these arguments are lost when the page is reloaded or closed. Copy them first.</span>
        </p>
      )}
    </div>
  );
}
