'use client';

import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';

/** While there is no list yet, and where it could not be read. */
export function ExtensionsUnread() {
  const { error, refetch, isFetching } = useQuery(queries.extensions());
  if (error === null) return <Skeleton lines={8} label="Reading the extensions…" />;
  return (
    <ErrorState title="The extensions could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
  );
}
