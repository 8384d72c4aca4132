'use client';

import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Spinner } from '#components/ui/Spinner.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { sizeInWords } from '#components/ui/byte-size.ts';

export interface PendingResultProps {
  bytes: number;
  /** Null while it is being loaded. */
  error: unknown;
  retrying: boolean;
  onRetry: () => void;
}

/** In place of a result that is too large to come with the page. */
export function PendingResult({ bytes, error, retrying, onRetry }: PendingResultProps) {
  const size = sizeInWords(bytes);
  if (error !== null)
    return (
      <ErrorState title={`The result of ${size} could not be loaded`} detail={messageOf(error)} onRetry={onRetry} retrying={retrying} />
    );
  return (
    <p role="status" className="tabular flex items-center justify-center gap-2 pt-24 text-sm text-muted">
      <Spinner />
      Loading {size}…
    </p>
  );
}
