import { CircleX, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { cx } from './cx.ts';

export interface ErrorStateProps {
  /** What failed. */
  title: ReactNode;
  /** The reason and the remedy. */
  detail?: ReactNode;
  onRetry?: () => void;
  retrying?: boolean;
  className?: string;
}

/** A failed read or action: what, why, and a retry. */
export function ErrorState({ title, detail, onRetry, retrying = false, className }: ErrorStateProps) {
  return (
    <div role="alert" className={cx('flex flex-col items-start gap-2 rounded border border-failed/40 bg-failed-soft px-4 py-3', className)}>
      <p className="flex items-center gap-2 font-medium text-failed">
        <CircleX aria-hidden className="size-4 shrink-0" />
        {title}
      </p>
      {detail === undefined || detail === null ? null : <div className="foreign">{detail}</div>}
      {onRetry === undefined ? null : (
        <Button size="sm" onClick={onRetry} pending={retrying} icon={<RotateCw aria-hidden />}>
          Try again
        </Button>
      )}
    </div>
  );
}
