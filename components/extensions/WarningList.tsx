import { TriangleAlert } from 'lucide-react';
import { CodeText } from '#components/ui/CodeText.tsx';

/** Advice, never a failure. */
export function WarningList({ warnings }: { warnings: readonly string[] }) {
  return (
    <ul className="divide-y">
      {[...new Set(warnings)].map((warning) => (
        <li key={warning} className="flex gap-2 px-4 py-2.5">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-degraded" />
          <span className="foreign min-w-0">
            <CodeText text={warning} />
          </span>
        </li>
      ))}
    </ul>
  );
}
