import { WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';

/** The page may be stale: since when, and the reconnect state. */
export function StaleBanner({ icon, children, action }: { icon?: ReactNode; children: ReactNode; action?: ReactNode }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-degraded/40 bg-degraded-soft px-4 py-1 text-sm text-degraded"
    >
      {icon ?? <WifiOff className="size-4 shrink-0" />}
      <span className="min-w-0 flex-1 basis-60">{children}</span>
      {action}
    </div>
  );
}
