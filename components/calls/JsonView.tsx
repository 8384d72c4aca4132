'use client';

import { useMemo, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { inThousands } from '#components/ui/in-thousands.ts';
import { escapeUnseen } from '#components/ui/visible-text.ts';
import { jsonText } from './call-words.ts';

const SHOWN_FIRST = 60_000;
const SHOWN_MORE = 1_000_000;

/** A value as JSON. Of a very long one the beginning, and a way to the rest. */
export function JsonView({ value, label, copyLabel }: { value: unknown; label: string; copyLabel: string }) {
  const text = useMemo(() => escapeUnseen(jsonText(value)), [value]);
  const [most, setMost] = useState(SHOWN_FIRST);
  if (typeof value === 'string' && value.includes('\n') && value.length <= SHOWN_FIRST)
    return <TextAndJson value={value} label={label} copyLabel={copyLabel} />;
  if (text.length <= most) return <CodeBlock code={text} language="json" label={label} copyLabel={copyLabel} wrap />;
  const cut = text.slice(0, most);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <CodeBlock code={cut} label={label} copyLabel={null} wrap />
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span className="tabular">
          The first {inThousands(most)} of {inThousands(text.length)} characters.
        </span>
        <Button size="sm" onClick={() => setMost(most + SHOWN_MORE)}>
          Show more
        </Button>
        <CopyButton words text={text} label="Copy all" />
      </div>
    </div>
  );
}

/** A result that is text with line breaks is read as text; as JSON it would be one endless line. */
function TextAndJson({ value, label, copyLabel }: { value: string; label: string; copyLabel: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-xs text-muted">Text, shown with its line breaks.</p>
      <CodeBlock code={value} label={label} copyLabel={copyLabel} wrap />
    </div>
  );
}
