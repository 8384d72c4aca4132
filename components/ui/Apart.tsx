import { Suspense } from 'react';
import type { ReactNode } from 'react';

/**
 * A part of a page that the browser takes over from the server's picture in a step of its own, so that no step is long. It must not
 * wait for anything: what it shows is there from the first.
 */
export function Apart({ children }: { children: ReactNode }) {
  return <Suspense fallback={null}>{children}</Suspense>;
}
