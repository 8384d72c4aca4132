'use client';

import { EntryFrame } from '#components/accounts/EntryFrame.tsx';
import { ErrorReference } from '#components/ui/ErrorReference.tsx';

/** In place of a page for strangers that broke. Every such page loads this, so its button is a plain one. */
export default function EntryError({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <EntryFrame title="This page could not be shown" note="Try again. If the error returns, look for it in the log of the server.">
      <ErrorReference digest={error.digest} />
      <button
        type="button"
        onClick={retry}
        className="self-start rounded border border-control-line bg-panel px-3 py-1.5 font-medium hover:bg-hover"
      >
        Try again
      </button>
    </EntryFrame>
  );
}
