import { CopyButton } from './CopyButton.tsx';
import { cx } from './cx.ts';

/** The end of an id (its start is a time, similar for neighbors), the full id in the title, and a copy button. */
export function IdText({ id, label = 'Copy the id', className }: { id: string; label?: string; className?: string }) {
  return (
    <span className={cx('inline-flex items-center gap-1', className)}>
      <code className="text-xs text-muted" title={id}>
        {id.length > 10 ? `…${id.slice(-8)}` : id}
      </code>
      <CopyButton text={id} label={label} className="size-6" />
    </span>
  );
}
