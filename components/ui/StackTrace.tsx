'use client';

import { useState } from 'react';
import { Button } from './Button.tsx';
import { splitStack } from './stack-frames.ts';

/** Frames of the extension; those of runtime and packages are folded. */
export function StackTrace({ stack, title = 'Stack' }: { stack: string; title?: string | null }) {
  const { own, rest } = splitStack(stack);
  const [open, setOpen] = useState(false);
  return (
    <div className="flex flex-col items-start gap-1">
      {title === null ? null : <h3 className="text-sm font-medium text-muted">{title}</h3>}
      <pre
        tabIndex={0}
        role="region"
        aria-label="Stack"
        className="focus-inset foreign max-h-80 w-full overflow-y-auto rounded border bg-subtle p-3 text-sm leading-5"
      >
        {own}
        {open && rest.length > 0 ? <span className="text-muted">{`\n${rest.join('\n')}`}</span> : null}
      </pre>
      {rest.length === 0 ? null : (
        <Button size="sm" variant="quiet" aria-expanded={open} onClick={() => setOpen(!open)} className="text-muted">
          {open ? 'Hide' : 'Show'} {rest.length} {rest.length === 1 ? 'frame' : 'frames'} of the runtime and packages
        </Button>
      )}
    </div>
  );
}
