'use client';

import { EntryFrame } from '#components/accounts/EntryFrame.tsx';
import { ErrorReference } from '../ErrorReference.tsx';

/** Error page of the sign-in pages. Loaded with each of them, so its button has no imports. */
export default function EntryError({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <EntryFrame title="This page could not be shown" note="Try again. If the error persists, see the server log.">
      <ErrorReference digest={error.digest} />
      <button
        type="button"
        onClick={retry}
        className="self-start rounded border border-control-line bg-panel px-3 py-2 font-medium hover:bg-hover"
      >
        Try again
      </button>
    </EntryFrame>
  );
}
