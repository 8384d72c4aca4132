import type { Metadata } from 'next';
import { ExtensionsView } from '#components/extensions/ExtensionsView.tsx';
import { currentHost } from '#lib/host/current-host.ts';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Extensions' };

/* The list itself is prefetched by the root layout, for the frame of every page. */
export default function ExtensionsPage() {
  return <ExtensionsView folder={currentHost().config.extensionsDir} />;
}
