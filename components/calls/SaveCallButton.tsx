'use client';

import { Save } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { argumentsOf } from './call-words.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const SaveCallDialog = lazyPart(async () => (await import('./SaveCallDialog.tsx')).SaveCallDialog);

/** Keeps the arguments of a call of the history under a name. */
export function SaveCallButton({ call }: { call: Call }) {
  const [asking, setAsking] = useState(false);
  const [saved, setSaved] = useState<SavedCall | null>(null);
  const args = argumentsOf(call);
  if (args === null) return null;
  return (
    <>
      <Button size="sm" icon={<Save aria-hidden />} onClick={() => setAsking(true)}>
        Save
      </Button>
      {saved === null ? null : (
        <span role="status" className="text-sm text-muted">
          Saved as{' '}
          <Link href={PAGES.savedCall(saved.tool, saved.id)} className="rounded-sm underline underline-offset-2">
            {saved.name}
          </Link>
        </span>
      )}
      {asking ? (
        <SaveCallDialog
          what={{ tool: call.tool, arguments: args, shown: args, timeout: '' }}
          result={call.status === 'succeeded' ? call.result : undefined}
          onClose={() => setAsking(false)}
          onSaved={setSaved}
        />
      ) : null}
    </>
  );
}
