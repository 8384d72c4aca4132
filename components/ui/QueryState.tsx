import { CircleX, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { cx } from './cx.ts';

interface QueryStateProps {
  query: { readonly error: Error | null; readonly refetch: () => unknown; readonly isFetching: boolean };
  /** Name of the data with its article: "the members". */
  what: string;
  lines?: number | undefined;
  inset?: boolean;
}

/** Placeholder for missing data: a skeleton while loading, else the error with a retry. */
export function QueryState({ query: { error, refetch, isFetching }, what, lines, inset = false }: QueryStateProps) {
  if (error === null) return <Skeleton lines={lines} />;
  return (
    <ErrorState
      className={inset ? 'm-4' : undefined}
      title={`Could not load ${what}`}
      detail={error.message}
      onRetry={() => void refetch()}
      retrying={isFetching}
    />
  );
}

interface ErrorStateProps {
  title: ReactNode;
  detail?: ReactNode;
  onRetry?: () => void;
  retrying?: boolean;
  className?: string | undefined;
}

/** A failed read or action: what, why, and a retry. */
export function ErrorState({ title, detail, onRetry, retrying = false, className }: ErrorStateProps) {
  return (
    <div role="alert" className={cx('flex flex-col items-start gap-2 rounded border border-failed/40 bg-failed-soft px-4 py-3', className)}>
      <p className="flex items-center gap-2 font-medium text-failed">
        <CircleX className="size-4 shrink-0" />
        {title}
      </p>
      {detail === undefined || detail === null ? null : <div className="foreign">{detail}</div>}
      {onRetry === undefined ? null : (
        <Button size="sm" onClick={onRetry} pending={retrying} icon={<RotateCw />}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Appears after 300 ms, so that fast responses show none. */
export function Skeleton({ lines = 3, className }: { lines?: number | undefined; className?: string }) {
  return (
    <div role="status" className={cx('flex animate-appear-late flex-col gap-3 p-4', className)}>
      <span className="sr-only">Loading…</span>
      {Array.from({ length: lines }, (_, index) => (
        <span
          key={index}
          aria-hidden
          className={cx('block h-3.5 rounded-sm bg-hover', index % 3 === 1 ? 'w-4/5' : index % 3 === 2 ? 'w-3/5' : 'w-full')}
        />
      ))}
    </div>
  );
}

/** Shows what will appear and how to make it appear. */
export function EmptyState({
  title,
  level,
  icon,
  children,
  actions,
  className,
}: {
  title: ReactNode;
  level?: 1;
  icon?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  className?: string | undefined;
}) {
  const Title = level === 1 ? 'h1' : 'p';
  return (
    <div className={cx('flex min-w-0 flex-col items-center gap-2 px-4 py-10 text-center', className)}>
      {icon === undefined ? null : <span className="text-muted [&_svg]:size-5">{icon}</span>}
      <Title className="max-w-full font-medium break-words">{title}</Title>
      {children === undefined ? null : <div className="max-w-[min(100%,65ch)] break-words text-muted">{children}</div>}
      {actions === undefined ? null : <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

interface ShowOlderProps {
  query: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; readonly fetchNextPage: () => unknown };
  what: string;
  size?: 'sm' | 'md';
}

export function ShowOlder({ query, what, size = 'md' }: ShowOlderProps) {
  if (!query.hasNextPage) return null;
  return (
    <div className="flex justify-center border-t p-3">
      <Button size={size} pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show older {what}
      </Button>
    </div>
  );
}
