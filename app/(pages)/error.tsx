'use client';

import { ErrorState } from '#components/ui/ErrorState.tsx';
import { messageOf } from '#lib/client/api-problem.ts';

export default function PageError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <>
      <h1 className="sr-only">This page could not be shown</h1>
      <ErrorState
        title="This page could not be shown"
        detail={`${messageOf(error)} The other pages still work. If it fails again, the server's log says more.`}
        onRetry={retry}
      />
    </>
  );
}
