import { ErrorState } from './ErrorState.tsx';
import { Skeleton } from './Skeleton.tsx';

export interface QueryStateProps {
  query: { readonly error: Error | null; readonly refetch: () => unknown; readonly isFetching: boolean };
  /** Name of the data with its article: "the members". */
  what: string;
  lines?: number;
  /** In a panel without padding. */
  inset?: boolean;
}

/** Placeholder for missing data: a skeleton while loading, else the error with a retry. */
export function QueryState({ query: { error, refetch, isFetching }, what, lines, inset = false }: QueryStateProps) {
  if (error === null) return <Skeleton {...(lines === undefined ? {} : { lines })} />;
  return (
    <ErrorState
      {...(inset ? { className: 'm-4' } : {})}
      title={`Could not load ${what}`}
      detail={error.message}
      onRetry={() => void refetch()}
      retrying={isFetching}
    />
  );
}
