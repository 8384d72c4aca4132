'use client';

import { usePageKeys } from '#components/ui/use-page-keys.ts';
import { FailureDetail } from './FailureDetail.tsx';
import { ReviewProvider, useReview } from './ReviewProvider.tsx';

/** One failure as a page of its own, with the keys of the inbox. */
export function FailurePage({ id }: { id: string }) {
  return (
    <ReviewProvider>
      <Keys id={id} />
      <FailureDetail id={id} />
    </ReviewProvider>
  );
}

function Keys({ id }: { id: string }) {
  const review = useReview();
  usePageKeys({
    a: () => review.assignToMe([id]),
    e: () => review.change([id], { status: 'acknowledged' }),
    i: () => review.askToIgnore([id]),
    o: () => review.showSource(id),
  });
  return null;
}
