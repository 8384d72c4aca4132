import { Button } from '#components/ui/Button.tsx';
import { inThousands } from '#components/ui/in-thousands.ts';

export interface ListEndProps {
  /** How many calls are listed. */
  count: number;
  state: 'reading' | 'failed' | 'more' | 'whole';
  /** Why older calls could not be read. */
  problem: string;
  onRetry: () => void;
}

/** Below the last call that was read: whether older ones are on their way, could not be read, or are not there. */
export function ListEnd({ count, state, problem, onRetry }: ListEndProps) {
  return (
    <div role="status" className="flex flex-wrap items-center justify-center gap-x-3 gap-y-1 px-4 py-3 text-center text-sm text-muted">
      {state === 'reading' ? 'Reading older calls…' : null}
      {state === 'whole' ? `That is all: ${inThousands(count)} ${count === 1 ? 'call' : 'calls'}.` : null}
      {state === 'failed' ? (
        <>
          <span>
            <span className="font-medium text-failed">Older calls could not be read.</span> {problem}
          </span>
          <Button size="sm" onClick={onRetry}>
            Try again
          </Button>
        </>
      ) : null}
    </div>
  );
}
