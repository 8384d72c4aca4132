'use client';

import { EntryFrame } from '#components/accounts/EntryFrame.tsx';
import { Button } from '#components/ui/Button.tsx';
import { ErrorReference } from '#components/ui/ErrorReference.tsx';

/** In place of a page for strangers that broke. */
export default function EntryError({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <EntryFrame title="This page could not be shown" note="Try again. If the error returns, look for it in the log of the server.">
      <ErrorReference digest={error.digest} />
      <Button className="self-start" onClick={retry}>
        Try again
      </Button>
    </EntryFrame>
  );
}
